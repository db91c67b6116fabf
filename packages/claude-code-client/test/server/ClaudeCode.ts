/** Claude Code with a program that follows its prompts, in a home of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TurnListener } from "@zain/agent-server/Agent"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as HostGuard from "@zain/process/HostGuard"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ClaudeCodeAgent from "../../src/server/ClaudeCodeAgent.ts"
import type { ClaudeCodeStartOptions } from "../../src/server/ClaudeCodeStartOptions.ts"
import * as ThreadRecords from "../../src/server/ThreadRecords.ts"

/** The program. */
export const program = fileURLToPath(new URL("./fake-claude.ts", import.meta.url))

/** Longer than any test, so that none passes where a test does not ask for it. */
const limits: ClaudeCodeAgent.ClaudeCodeLimits = {
  idleLimit: Duration.hours(1),
  mostIdle: 16,
  interruptLimit: Duration.hours(1),
}

/** A home that is removed with the Scope. */
export const home: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "zain-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

interface Options extends Partial<ClaudeCodeAgent.ClaudeCodeLimits> {
  readonly modelTimeout?: Duration.Duration
  readonly env?: Readonly<Record<string, string>>
  readonly records?: (records: Records) => Records
}
type Records = ReturnType<typeof ThreadRecords.make>

/** An agent, whose server ends with the Scope. */
export const agent = (
  path: string,
  { env, modelTimeout = Duration.hours(1), records = (kept) => kept, ...given }: Options = {},
) =>
  Effect.gen(function* () {
    const command = {
      command: process.execPath,
      args: [program],
      env: { PATH: process.env["PATH"] ?? "", HOME: path, ...env },
      modelTimeout,
    }
    const kept = records(ThreadRecords.make(command.env))
    return yield* ClaudeCodeAgent.make(command, yield* HostGuard.make, { ...limits, ...given }, kept)
  })

/** Records whose reads end in the opposite order of that in which they began, as those of a disk may. */
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

/** Records that are read at once, as no disk is. */
export const inMemory = (): Records => {
  const records = new Map<string, ThreadRecords.ThreadRecord>()
  return {
    put: (threadId, record) => Effect.sync(() => void records.set(threadId, record)),
    get: (threadId) => Effect.sync(() => records.get(threadId)),
  }
}

/** One client of one agent. */
export const client = (options?: Options) =>
  Effect.gen(function* () {
    const path = yield* home
    const attachment = yield* (yield* agent(path, options)).attach
    return { ...attachment, home: path }
  })

/** Options of free text. */
export const texts = {
  model: "opus",
  agent: "reviewer",
  "allowed-tools": ["Edit", "Bash(git *)"],
  "disallowed-tools": ["--settings"],
  "base-instructions": "--be brief",
  "developer-instructions": "Say\nplease.",
  config: { env: { A: "b" }, permissions: { deny: ["WebFetch"] } },
} satisfies ClaudeCodeStartOptions

/** What settings of a process tests look at. */
export interface Settings {
  readonly env?: Readonly<Record<string, unknown>>
  readonly permissions?: { readonly deny?: ReadonlyArray<string> }
}

/** What a process was told before its first prompt, of each process in order. */
export const setups = (path: string): ReadonlyArray<Readonly<Record<string, unknown>>> => lines(path, "setups.jsonl")

/** What a process was started with. */
export interface Start {
  readonly pid: number
  readonly args: ReadonlyArray<string>
  readonly cwd: string
}

/** Every start below a home, in order. */
export const starts = (path: string): ReadonlyArray<Start> => lines(path, "starts.jsonl")

const lines = (path: string, name: string) =>
  read(path, name)
    .split("\n")
    // The last line is being written, or empty.
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Whether a process is there and no zombie. */
export const isAlive = (pid: number): boolean => {
  try {
    if (process.platform !== "linux") return process.kill(pid, 0)
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** Waits until a process is gone. The test's own limit ends the wait. */
export const gone = (pid: number): Effect.Effect<void> =>
  Effect.suspend(() => (isAlive(pid) ? Effect.andThen(Effect.sleep(5), gone(pid)) : Effect.void))

/** A listener that keeps what it hears. `spoke`: the agent has said some text. */
export interface Recorder extends TurnListener {
  readonly events: ReadonlyArray<McpEventContent>
  readonly asked: ReadonlyArray<McpApprovalRequest>
  readonly spoke: Effect.Effect<void>
}

export const recorder = (
  decide: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply> = () => Effect.never,
): Recorder => {
  const events: Array<McpEventContent> = []
  const asked: Array<McpApprovalRequest> = []
  const spoke = Deferred.makeUnsafe<void>()
  return {
    events,
    asked,
    spoke: Deferred.await(spoke),
    started: () => {},
    room: () => undefined,
    event: (event) => {
      events.push(event)
      if (event._tag === "TextDelta") Deferred.doneUnsafe(spoke, Effect.void)
    },
    approve: ({ request }) =>
      Effect.suspend(() => {
        asked.push(request)
        return decide(request)
      }),
  }
}

/** A file that the program wrote into its home. */
export const read = (path: string, name: string): string => readFileSync(join(path, name), "utf8")
