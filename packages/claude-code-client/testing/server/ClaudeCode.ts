/** Claude Code with a scripted program, in its own home. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import * as HostGuard from "@zain/process/HostGuard"
import { fakes } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { Duration, Effect, Layer } from "effect"
import * as InProcess from "../../../../contract-tests/testing/InProcess.ts"
import * as TurnRecorder from "../../../agent-server/testing/TurnRecorder.ts"
import type { ClaudeCodeStartOptions } from "../../src/ClaudeCodeOptions.ts"
import * as ClaudeCodeAgent from "../../src/server/ClaudeCodeAgent.ts"
import * as ThreadRecords from "../../src/server/ThreadRecords.ts"
import * as ScriptedClaudeCode from "./ScriptedClaudeCode.ts"

// The fake in this process reads it.
delete process.env["CLAUDE_CONFIG_DIR"]

/** The program, in a directory that its caller removes. */
export const install = (directory: string) =>
  FakeAgent.install({ ...fakeClaudeCode, agent: ScriptedClaudeCode.agent }, directory)

/** The same without a program. */
export const start = (directory: string) => InProcess.start(ScriptedClaudeCode.agent, directory, fakes)

/** Longer than any test, so that no limit passes unless a test sets it. */
const limits: ClaudeCodeAgent.ClaudeCodeLimits = {
  idleTimeout: Duration.hours(1),
  maxIdle: 16,
  interruptTimeout: Duration.hours(1),
}

interface Options extends Partial<ClaudeCodeAgent.ClaudeCodeLimits> {
  readonly modelTimeout?: Duration.Duration
  readonly acceptTimeout?: Duration.Duration
  readonly env?: Readonly<Record<string, string>>
  /** Whether the fake is a program. By default it runs in this process. */
  readonly program?: boolean
  readonly records?: (records: Records) => Records
}
type Records = ThreadRecords.ThreadRecords

/** An agent, whose server ends with the Scope. */
export const agent = Effect.fnUntraced(function* (
  path: string,
  {
    acceptTimeout = Duration.hours(1),
    env,
    modelTimeout = Duration.hours(1),
    program = false,
    records = (kept) => kept,
    ...given
  }: Options = {},
) {
  const command = {
    ...(program ? yield* install(path) : { command: "claude", start: start(path) }),
    args: [],
    env: { PATH: process.env["PATH"] ?? "", HOME: path, ...env },
    modelTimeout,
    acceptTimeout,
  }
  const guarded = yield* Layer.build(HostGuard.layer)
  return yield* Effect.flatMap(ThreadRecords.ThreadRecords, (kept) =>
    Effect.provideService(
      ClaudeCodeAgent.make(command, { ...limits, ...given }),
      ThreadRecords.ThreadRecords,
      records(kept),
    ),
  ).pipe(Effect.provide(ThreadRecords.layer(command.env)), Effect.provideContext(guarded))
})

/** Records whose reads end in the reverse order of their starts, as those of a disk may. */
export const lastFirst = (records: Records): Records => {
  let reads: Array<() => void> = []
  const read = (end: () => void) => {
    reads.push(end)
    if (reads.length > 1) return
    setImmediate(() => {
      const begun = reads.reverse()
      reads = []
      for (const end of begun) end()
    })
  }
  const turn = Effect.callback<void>((resume) => read(() => resume(Effect.void)))
  return { ...records, get: (threadId) => Effect.andThen(turn, records.get(threadId)) }
}

/** Records that are read synchronously. */
export const inMemory = (): Records => {
  const records = new Map<string, ThreadRecords.ThreadRecord>()
  return {
    forget: () => {},
    put: (threadId, record) => Effect.sync(() => void records.set(threadId, record)),
    check: () => Effect.void,
    remove: (threadId) => Effect.sync(() => void records.delete(threadId)),
    get: (threadId) => Effect.sync(() => records.get(threadId)),
  }
}

/** One client of one agent. */
export const client = Effect.fnUntraced(function* (options?: Options) {
  const home = yield* directory
  const made = yield* agent(home, options)
  return { ...(yield* made.attach), agent: made, home }
})

/** One client with a thread that has these options. `says`: the thread's answer to a prompt */
export const thread = Effect.fnUntraced(function* (options?: Options, started: ClaudeCodeStartOptions = {}) {
  const made = yield* client(options)
  const threadId = yield* made.start(started)
  const says = (prompt: string) => Effect.map(made.turn(threadId, { prompt }, recorder()), ({ content }) => content)
  return { ...made, threadId, says }
})

/** Options of free text. */
export const texts = {
  model: "opus",
  agent: "reviewer",
  allowedTools: ["Edit", "Bash(git *)"],
  disallowedTools: ["--settings"],
  baseInstructions: "--be brief",
  developerInstructions: "Say\nplease.",
  settings: { env: { A: "b" }, permissions: { deny: ["WebFetch"] } },
} satisfies ClaudeCodeStartOptions

/** The settings of a process that tests check. */
export interface Settings {
  readonly env?: Readonly<Record<string, unknown>>
  readonly permissions?: { readonly deny?: ReadonlyArray<string> }
}

/** The handshake of each process, in order. */
export const setups = (path: string): ReadonlyArray<Readonly<Record<string, unknown>>> => lines(path, "setups.jsonl")

/** The start of a process. */
export interface Start {
  readonly pid: number
  readonly args: ReadonlyArray<string>
  readonly cwd: string
}

/** Every start in a home, in order. */
export const starts = (path: string): ReadonlyArray<Start> => lines(path, "starts.jsonl")

const lines = (path: string, name: string) =>
  read(path, name)
    .split("\n")
    // The last line is empty, or incomplete.
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** A listener that records events. */
export type Recorder = ReturnType<typeof TurnRecorder.make>

export const recorder = (
  decide: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply> = () => Effect.never,
): Recorder => TurnRecorder.make(decide)

/** The directory of the program's conversations. */
export const conversations = (path: string): string => join(path, "claude-conversations")

/** A file that the program wrote into its home. */
export const read = (path: string, name: string): string => readFileSync(join(path, name), "utf8")
