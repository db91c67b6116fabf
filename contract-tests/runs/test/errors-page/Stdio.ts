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
import { type Provocation, provoke, provokeInVirtualTime } from "./Provocation.ts"

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
  provoke("no such command", refused(stdio({ command: "my-agent", env: { PATH: "/nowhere" } }))),
  provoke(
    "no permission",
    Effect.flatMap(withoutPermission, (config) => refused(config)),
  ),
  provoke(
    "no such directory",
    Effect.flatMap(directory, (home) => refused(stdio({ command: "my-agent", cwd: join(home, "docs") }))),
  ),
  provoke("too long a command line", refused(stdio({ command: "true", args: ["x".repeat(4_000_000)] }))),
  provoke("a program of the program's that is not there", refused(stdio({ command: "sh", args: ["-c", "exit 127"] }))),
  provoke(
    "no temporary directory",
    Effect.succeed(
      Failure.startFailed(directoryFailed(new Error("ENOSPC: no space left on device, mkdtemp '/tmp/zain-k3X9aQ'"))),
    ),
  ),
  provoke("a program that leaves", starting("leave")),
  provoke("a program that fails", starting("fail")),
  provoke("a malformed handshake", starting("malformed")),
  provoke("another version of MCP", starting("version")),
  provoke("a refused handshake", starting("refuse")),
  provokeInVirtualTime(
    "no handshake",
    Effect.gen(function* () {
      const made = yield* SdkMcpClient.make(profile, { connect: silence })
      const opening = yield* Effect.forkChild(Effect.flip(made.openSession(stdio({ command: "my-agent" }))), {
        startImmediately: true,
      })
      yield* TestClock.adjust("30 seconds")
      return yield* Fiber.join(opening)
    }),
  ),
  provoke("an end in a turn", asking(["exit"])),
  provoke("a signal in a turn", asking(["kill"])),
  provoke("an output that ends", asking(["close"])),
  provoke("what is asked after an output has ended", asking(["close", "hang"])),
  provoke(
    "a server that does not read",
    Effect.gen(function* () {
      const config = yield* onPath("well", { maxMessageBytes: 1_000_000 })
      const made = yield* SdkMcpClient.make(lasting)
      const session = yield* made.openSession(config)
      yield* made.execute(session, { content: "deaf" })
      const long = "hang ".padEnd(3_000_000)
      // The pipe takes some of it. What is said next meets the rest.
      yield* Effect.timeoutOption(made.execute(session, { content: long }), "100 millis")
      return yield* Effect.flip(made.execute(session, { content: "hang" }))
    }),
  ),
  provoke("a large message", asking(["large"], { maxMessageBytes: 1_000_000 })),
  provoke("a message that is nested deep", asking(["deep"])),
  provoke("a message with many values", asking(["wide"], { maxMessageElements: 500_000 })),
  provoke("no result", asking(["none"])),
  provoke(
    "a profile that throws",
    Effect.flatMap(onPath("well"), (config) => unanswered(config, ["well"], throwing)),
  ),
  provoke("an error in a turn", asking(["fails"])),
  provoke("an agent that died before it accepted the prompt", asking(["lost"])),
  provoke("a refused call", asking(["refuses"])),
  provoke(
    "a conversation that is lost",
    Effect.gen(function* () {
      const made = yield* client
      const session = yield* made.openSession(yield* onPath("well"))
      yield* Effect.timeoutOption(made.execute(session, { content: "hang" }), "100 millis")
      return yield* Effect.flip(made.execute(session, { content: "hang" }))
    }),
  ),
]
