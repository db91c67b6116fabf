/** Clients whose `steer` is broken. */
import type { AgentConnection } from "@zain/core/AgentConnection"
import type { McpSteered } from "@zain/core/McpSteer"
import { Effect, Stream } from "effect"
import { reading, steering } from "../../testing/mutants/Override.ts"
import { connecting, type Mutant, mutant } from "./Mutant.ts"

type Steer = NonNullable<AgentConnection["steer"]>

/** Replaces how a driver's connections are steered. */
const speaking = (change: (steer: Steer, content: string) => ReturnType<Steer>) =>
  connecting((connect, config, id) =>
    Effect.map(connect(config, id), ({ steer = () => answered, ...connection }) => ({
      ...connection,
      steer: (content: string) => change(steer, content),
    })),
  )
const answered = Effect.succeed<McpSteered>("applied")

export const brokenSteers: ReadonlyArray<Mutant> = [
  mutant("forgets texts of `steer`", "steer.applied", { driver: speaking(() => answered) }),
  mutant("sends texts of `steer` twice", "steer.applied", {
    driver: speaking((steer, content) =>
      Effect.map(Effect.all([steer(content), steer(content)], { concurrency: 2 }), ([how]) => how),
    ),
  }),
  mutant("queues texts of `steer` that the turn could take", "steer.applied", {
    driver: speaking(() => Effect.succeed("queued")),
  }),
  mutant("loses queued texts of `steer`", "steer.kept", {
    driver: speaking((steer, content) => Effect.as(steer(content), "applied")),
  }),
  mutant("does not report unused texts of `steer`", "steer.unused", {
    adapter: reading((events, session) => Stream.filter(events(session), ({ _tag }) => _tag !== "SteersUnused")),
  }),
  mutant("accepts texts of `steer` between turns", "steer.refused", {
    adapter: steering((steer, session, content) =>
      Effect.catch(steer(session, content), (error) =>
        error.reason === "no-turn" ? Effect.succeed("queued" as const) : Effect.fail(error),
      ),
    ),
  }),
]
