/**
 * What goes wrong with a server that is a process.
 */
import { join } from "node:path"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { directoryFailed } from "@zain/process/ProcessError"
import * as Failure from "@zain/sdk-client/Failure"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { client, directory, onPath, profile, refused, silence, unanswered, withoutPermission } from "./MyAgent.ts"
import type { Provocation } from "./Provocation.ts"

const starting = (what: string) => Effect.flatMap(onPath(what), (config) => refused(config))

const asking = (prompts: ReadonlyArray<string>, limits: McpConnectionConfig.McpLimits = {}) =>
  Effect.flatMap(onPath("well", limits), (config) => unanswered(config, prompts))

const { stdio } = McpConnectionConfig

/** Its conversations outlive a turn that was given up. */
const lasting = {
  ...profile,
  open: (...given: Parameters<typeof profile.open>) =>
    Effect.map(profile.open(...given), (session) => ({ ...session, interrupted: () => "one" })),
}

/** A function of the adapter's that throws. */
const throwing = SdkMcpClient.make({
  ...profile,
  open: (target) =>
    Effect.succeed({
      target,
      call: (prompt) => ({ name: "ask", arguments: { prompt } }),
      read: () => {
        throw new Error("not today")
      },
    }),
})

export const provocations: ReadonlyArray<Provocation> = [
  { title: "no such command", fails: refused(stdio({ command: "my-agent", env: { PATH: "/nowhere" } })) },
  { title: "no permission", fails: Effect.flatMap(withoutPermission, (config) => refused(config)) },
  {
    title: "no such directory",
    fails: Effect.flatMap(directory, (home) => refused(stdio({ command: "my-agent", cwd: join(home, "docs") }))),
  },
  { title: "too long a command line", fails: refused(stdio({ command: "true", args: ["x".repeat(4_000_000)] })) },
  {
    title: "a program of the program's that is not there",
    fails: refused(stdio({ command: "sh", args: ["-c", "exit 127"] })),
  },
  {
    title: "no temporary directory",
    fails: Effect.succeed(
      Failure.startFailed(directoryFailed(new Error("ENOSPC: no space left on device, mkdtemp '/tmp/zain-k3X9aQ'"))),
    ),
  },
  { title: "a program that leaves", fails: starting("leave") },
  { title: "a program that fails", fails: starting("fail") },
  { title: "a malformed handshake", fails: starting("malformed") },
  { title: "another version of MCP", fails: starting("version") },
  { title: "a refused handshake", fails: starting("refuse") },
  {
    title: "no handshake",
    virtual: true,
    fails: Effect.gen(function* () {
      const made = yield* SdkMcpClient.make(profile, { connect: silence })
      const opening = yield* Effect.forkChild(Effect.flip(made.openSession(stdio({ command: "my-agent" }))), {
        startImmediately: true,
      })
      yield* TestClock.adjust("30 seconds")
      return yield* Fiber.join(opening)
    }),
  },
  { title: "an end in a turn", fails: asking(["exit"]) },
  { title: "a signal in a turn", fails: asking(["kill"]) },
  { title: "an output that ends", fails: asking(["close"]) },
  { title: "what is asked after an output has ended", fails: asking(["close", "hang"]) },
  {
    title: "a server that does not read",
    fails: Effect.gen(function* () {
      const config = yield* onPath("well", { maxMessageBytes: 1_000_000 })
      const made = yield* SdkMcpClient.make(lasting)
      const session = yield* made.openSession(config)
      yield* made.execute(session, { content: "deaf" })
      const long = "hang ".padEnd(3_000_000)
      // The pipe takes some of it. What is said next meets the rest.
      yield* Effect.timeoutOption(made.execute(session, { content: long }), "100 millis")
      return yield* Effect.flip(made.execute(session, { content: "hang" }))
    }),
  },
  { title: "a large message", fails: asking(["large"], { maxMessageBytes: 1_000_000 }) },
  { title: "a message that is nested deep", fails: asking(["deep"]) },
  { title: "a message with many values", fails: asking(["wide"], { maxMessageElements: 500_000 }) },
  { title: "no result", fails: asking(["none"]) },
  {
    title: "a profile that throws",
    fails: Effect.flatMap(onPath("well"), (config) => unanswered(config, ["well"], throwing)),
  },
  { title: "an error in a turn", fails: asking(["fails"]) },
  { title: "an agent that died before it accepted the prompt", fails: asking(["lost"]) },
  { title: "a refused call", fails: asking(["refuses"]) },
  {
    title: "a conversation that is lost",
    fails: Effect.gen(function* () {
      const made = yield* client
      const session = yield* made.openSession(yield* onPath("well"))
      yield* Effect.timeoutOption(made.execute(session, { content: "hang" }), "100 millis")
      return yield* Effect.flip(made.execute(session, { content: "hang" }))
    }),
  },
]
