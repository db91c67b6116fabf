/** Codex on the app-server of `fixtures`, whose prompts are scripts. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Question, TurnListener } from "@zain/agent-server/Agent"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as HostGuard from "@zain/process/HostGuard"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CodexAgent from "../../src/server/CodexAgent.ts"

const program = fileURLToPath(new URL("fixtures/app-server.mjs", import.meta.url))

/** A message that the fake heard, and which process of it. */
export interface Heard {
  readonly pid: number
  readonly started?: boolean
  readonly args?: ReadonlyArray<string>
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
}

/** What each thread is told of retries, where nothing else is asked for. */
export const finite = { "features.unbounded_connection_retries": false }

/** Steps as a prompt. `how`: see `fixtures/app-server.mjs`. */
export const script = (steps: ReadonlyArray<object>, how = ""): string => `${how}${how && " "}${JSON.stringify(steps)}`

/** A listener that remembers, and decides as it is told. */
export const listener = (
  decide: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply> = () => Effect.succeed({ _tag: "Approve" }),
) => {
  const events: Array<McpEventContent> = []
  const asked: Array<McpApprovalRequest> = []
  const questions: Array<Question> = []
  /** How many events came before the thread was named. */
  const named: Array<number> = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  const listener: TurnListener = {
    started: () => void named.push(events.length),
    room: () => undefined,
    event: (event) => {
      events.push(event)
      wake()
    },
    approve: (question) =>
      Effect.suspend(() => {
        const { request } = question
        questions.push(question)
        asked.push(request)
        wake()
        return decide(request)
      }),
  }
  /** Ends once something of the turn is so. */
  const until = (isSo: () => boolean): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const look = () => {
        if (!isSo()) return
        waiting.delete(look)
        resume(Effect.void)
      }
      waiting.add(look)
      look()
    })
  /** Ends with the first notification of that name. */
  const heard = (method: string) => until(() => events.some((one) => one._tag === "Raw" && one.method === method))
  return { ...listener, events, asked, named, questions, until, heard }
}

/**
 * - `agent`: Codex on the fake
 * - `again`: the same, as a server makes it that was started anew
 * - `heard`: what the fake heard so far
 * - `pids`: its processes so far
 */
export const codex = (
  options: { readonly modelTimeout?: Duration.Input; readonly env?: Record<string, string> } = {},
) =>
  Effect.gen(function* () {
    const home = mkdtempSync(join(tmpdir(), "zain-test-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(home, { recursive: true })))
    const guard = yield* HostGuard.make
    const make = CodexAgent.make(
      {
        command: process.execPath,
        args: [program],
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: home,
          FAKE_HOME: home,
          SECRET_TOKEN: "last words",
          ...options.env,
        },
        modelTimeout: Duration.fromInputUnsafe(options.modelTimeout ?? "1 hour"),
      },
      guard,
    )
    const agent = yield* make
    const log = join(home, "heard.jsonl")
    const heard = (): ReadonlyArray<Heard> =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            // The last line is being written, or empty.
            .slice(0, -1)
            .map((line) => JSON.parse(line) as Heard)
        : []
    const pids = () => heard().flatMap(({ pid, started }) => (started ? [pid] : []))
    return { agent, again: make, home, heard, pids }
  })

export const isAlive = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
