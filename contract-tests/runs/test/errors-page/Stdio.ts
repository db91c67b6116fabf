/**
 * Errors of a server that is a process.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { McpSupports } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { directoryFailed } from "@zain/process/ProcessError"
import type { AgentSession } from "@zain/sdk-client/AgentProfile"
import * as Failure from "@zain/sdk-client/Failure"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import { directory } from "@zain/testkit/Directory"
import * as Effect from "effect/Effect"
import { after, client, onPath, type Provocations, pathWith, profile, refused, silence, unanswered } from "./MyAgent.ts"

const { stdio } = McpConnectionConfig

const starting = (what: string) => refused(onPath(what))

const asking = (prompts: ReadonlyArray<string>, limits: McpConnectionConfig.McpLimits = {}) =>
  unanswered(onPath("well", limits), prompts)

/** A command whose working directory is a file `docs`, or a path below it. */
const inFile = (below = "") =>
  Effect.map(directory, (home) => {
    writeFileSync(join(home, "docs"), "")
    return stdio({ command: "my-agent", cwd: join(home, "docs", below) })
  })

/** An adapter whose sessions have these members. */
const adapterWith = (members: Partial<AgentSession>, supports: Partial<McpSupports> = {}) =>
  SdkMcpClient.make({
    ...profile,
    supports: { ...profile.supports, ...supports },
    open: (...given) => Effect.map(profile.open(...given), (session) => ({ ...session, ...members })),
  })

/** Its conversations outlive a turn that was given up. */
const lasting = adapterWith({ interrupted: () => "one" })

const throwing = adapterWith({
  read: () => {
    throw new Error("not today")
  },
})

const nameless = adapterWith({ read: () => Effect.succeed({ content: "well", isError: false }) })

/** Its second turn fails, which ends the conversation. */
const failing = Effect.suspend(() => {
  let turns = 0
  const read = () => Effect.succeed({ content: "well", isError: ++turns > 1, threadId: "one" })
  return adapterWith({ read }, { failureKeepsConversation: false })
})

export const provocations: Provocations = {
  "a missing command": refused(stdio({ command: "my-agent", env: { PATH: "/nowhere" } })),
  "a command without permission": refused(
    Effect.map(pathWith("my-agent", "", 0o600), (PATH) => stdio({ command: "my-agent", env: { PATH } })),
  ),
  "a missing directory": refused(
    Effect.map(directory, (home) => stdio({ command: "my-agent", cwd: join(home, "docs") })),
  ),
  "a file in place of a directory": refused(inFile()),
  "a directory below a file": refused(inFile("src")),
  "too long a command line": refused(stdio({ command: "true", args: ["x".repeat(4_000_000)] })),
  "a shell whose program is missing": refused(stdio({ command: "sh", args: ["-c", "exit 127"] })),
  "a full temporary directory": Effect.succeed(
    Failure.startFailed(directoryFailed(new Error("ENOSPC: no space left on device, mkdtemp '/tmp/zain-k3X9aQ'"))),
  ),
  "a program that exits with 0": starting("leave"),
  "a program that fails": starting("fail"),
  "a malformed handshake": starting("malformed"),
  "another version of MCP": starting("version"),
  "a refused handshake": starting("refuse"),
  "frames in place of lines": starting("framed"),
  "a handshake that never completes": after(
    "30 seconds",
    refused(stdio({ command: "my-agent" }), SdkMcpClient.make(profile, { connect: silence })),
  ),
  "an exit in a turn": asking(["exit"]),
  "a signal in a turn": asking(["kill"]),
  "an output that ends in a turn": asking(["close"]),
  "a call after the output has ended": asking(["close", "hang"]),
  "a server that does not read its input": Effect.gen(function* () {
    const config = yield* onPath("well", { maxMessageBytes: 1_000_000 })
    const made = yield* lasting
    const session = yield* made.openSession(config)
    yield* made.execute(session, { content: "deaf" })
    const long = "hang ".padEnd(3_000_000)
    // The pipe takes some of it. What is said next meets the rest.
    yield* Effect.timeoutOption(made.execute(session, { content: long }), "100 millis")
    return yield* Effect.flip(made.execute(session, { content: "hang" }))
  }),
  "a large message": asking(["large"], { maxMessageBytes: 1_000_000 }),
  "a deeply nested message": asking(["deep"]),
  "a message with many values": asking(["wide"], { maxMessageElements: 500_000 }),
  "a result of the wrong type": asking(["none"]),
  "a second turn after an answer without a thread id": unanswered(onPath("well"), ["well", "well"], nameless),
  "a turn after one that failed": unanswered(onPath("well"), ["well", "well", "well"], failing),
  "a profile that throws": unanswered(onPath("well"), ["well"], throwing),
  "an error in a turn": asking(["fails"]),
  "an agent that died before it accepted the prompt": asking(["lost"]),
  "a refused call": asking(["refuses"]),
  "a lost conversation": Effect.gen(function* () {
    const made = yield* client
    const session = yield* made.openSession(yield* onPath("well"))
    yield* Effect.timeoutOption(made.execute(session, { content: "hang" }), "100 millis")
    return yield* Effect.flip(made.execute(session, { content: "hang" }))
  }),
}
