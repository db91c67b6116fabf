import { InMemoryMcpClient } from "@zain/core"
import type { Answer } from "@zain/core/AgentConnection"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ContractScript from "../src/ContractScript.ts"
import type { ContractSubject } from "../src/ContractSubject.ts"
import * as PeerObservation from "../src/PeerObservation.ts"
import { run } from "../src/VitestRunner.ts"
import { act, readOptions, turn } from "./third-party/Parrot.ts"

const nowhere = "stdio:nowhere"

const exited = (delivery: "not-sent" | "unknown") =>
  new ConnectionUnavailable({
    reason: "server-exited",
    message: "The agent has exited, as its prompt demanded.",
    delivery,
  })

type Reply = ReturnType<NonNullable<InMemoryMcpClient.Options["reply"]>>

const reply =
  (record: PeerObservation.PeerRecord): NonNullable<InMemoryMcpClient.Options["reply"]> =>
  ({ approve, callTool, content: given, earlier, emit, images = [], output, providerOptions = {}, steers }) =>
    Effect.suspend((): Reply => {
      const content = given.toWellFormed()
      if (earlier.some((prompt) => ContractScript.decide([prompt])._tag === "Exit"))
        return Effect.fail(exited("not-sent"))
      const options = readOptions(providerOptions)
      if (Result.isFailure(options)) return Effect.fail(options.failure)
      record.saw({ what: "received", prompt: ContractScript.received(content, images, output, options.success.model) })
      const action = ContractScript.decide([...earlier, content])
      if (action._tag === "Exit") return Effect.fail(exited("unknown"))
      if (action._tag !== "Hang") {
        return Effect.flatMap(act(action, { approve, callTool, emit }), (said) => {
          const texts = steers()
          for (const prompt of texts) record.saw({ what: "received", prompt })
          const next = ContractScript.decide([...earlier, content, ...texts])
          return texts.length === 0
            ? Effect.succeed(bare(said))
            : Effect.map(act(next as typeof action, { approve, callTool, emit }), bare)
        })
      }
      const release = record.holds(content)
      return Effect.never.pipe(
        Effect.onInterrupt(() => Effect.sync(() => record.saw({ what: "cancelled", prompt: content }))),
        Effect.ensuring(Effect.sync(release)),
      )
    })

/** Without what this client does not report. */
const bare = ({ context: _context, cost: _cost, stopReason: _reason, ...answer }: Partial<Answer>) => answer

const record = PeerObservation.make()

const subject: ContractSubject = {
  name: "in memory",
  provider: "in-memory",
  make: InMemoryMcpClient.make({
    reply: reply(record),
    connect: ({ serverUrl }) =>
      serverUrl === nowhere
        ? Effect.fail(
            new ConnectionUnavailable({
              reason: "unreachable",
              message: "No agent answers at stdio:nowhere. Use another configuration.",
              delivery: "not-sent",
            }),
          )
        : Effect.void,
  }),
  config: InMemoryMcpClient.config,
  unreachable: { serverUrl: nowhere, transport: "stdio" },
  peer: record.observation,
  turn,
  cannot: {
    "silent-server": "an agent that is a function has no handshake",
    "provider-options": "an agent that is a function has no options",
    resume: "an agent that is a function forgets its sessions",
    elsewhere: "an agent that is a function forgets its sessions",
    background: "an agent that is a function ends with its answer",
  },
}

run(subject)
