/** Codex with the fake app-server, whose prompts are scripts. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import * as HostGuard from "@zain/process/HostGuard"
import { fakes } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { Duration, Effect, Layer } from "effect"
import * as InProcess from "../../../../contract-tests/testing/InProcess.ts"
import * as TurnRecorder from "../../../agent-server/testing/TurnRecorder.ts"
import type { CodexStartOptions } from "../../src/CodexOptions.ts"
import * as CodexAgent from "../../src/server/CodexAgent.ts"
import * as ScriptedCodex from "./ScriptedCodex.ts"

/** A message that the fake received, and the process that received it. */
export interface Heard {
  readonly pid: number
  readonly started?: boolean
  readonly args?: ReadonlyArray<string>
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
}

/** The `config` of a thread without options. */
export const finite = { "features.unbounded_connection_retries": false, "features.goals": false }

/** Steps as a prompt. `how`: see `ScriptedCodex.ts`. */
export const script = (steps: ReadonlyArray<object>, how = ""): string => `${how}${how && " "}${JSON.stringify(steps)}`

/** A step that sends the start or the completion of an item. */
export const item = (method: "started" | "completed", fields: object, more: object = {}) => ({
  event: `item/${method}`,
  params: { item: fields, ...more },
})

/** A step that sends the tokens of a thread and of its last request. */
export const tokens = (total: number, last: number) => {
  const of = (count: number) => ({ inputTokens: count, outputTokens: count / 2 })
  return { event: "thread/tokenUsage/updated", params: { tokenUsage: { total: of(total), last: of(last) } } }
}

/** Steps that start a sub-agent with the turn `sub-1` in the thread `sub`. */
export const subAgent = [{ threadId: "sub", turn: { id: "sub-1", rootTurnId: "root" } }].map((params) => ({
  event: "turn/started",
  params,
}))

/** The program, in a directory that its caller removes. */
export const install = (directory: string) => FakeAgent.install({ ...fakeCodex, agent: ScriptedCodex.agent }, directory)

/** The same without a program. */
export const start = (directory: string) => InProcess.start(ScriptedCodex.agent, directory, fakes)

/** A listener that records events, with a given decision. */
export const listener = (
  decide: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply> = () => Effect.succeed({ _tag: "Approve" }),
  ...[callTool]: [Parameters<typeof TurnRecorder.make>[1]?]
) => TurnRecorder.make(decide, callTool)

/** The messages that fakes with this home have received so far. */
const heardIn = (home: string): ReadonlyArray<Heard> => {
  const log = join(home, "heard.jsonl")
  if (!existsSync(log)) return []
  const lines = readFileSync(log, "utf8").split("\n")
  // The last line is empty, or incomplete.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Heard)
}

/** The processes of fakes with this home so far. */
export const startedIn = (home: string): ReadonlyArray<number> =>
  heardIn(home).flatMap(({ pid, started }) => (started ? [pid] : []))

/**
 * - `program`: whether the fake is a program; by default it runs in this process
 * - `agent`: Codex with the fake
 * - `again`: the same, as a restarted server makes it
 * - `heard`: the messages that the fake has received so far
 * - `pids`: its processes so far
 */
export const codex = Effect.fnUntraced(function* (
  options: {
    readonly modelTimeout?: Duration.Input
    readonly acceptTimeout?: Duration.Input
    readonly env?: Record<string, string>
    readonly program?: boolean
  } = {},
) {
  const home = yield* directory
  const guarded = yield* Layer.build(HostGuard.layer)
  const make = CodexAgent.live({
    ...(options.program ? yield* install(home) : { command: "codex", start: start(home) }),
    args: [],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      FAKE_HOME: home,
      SECRET_TOKEN: "last words",
      ...options.env,
    },
    modelTimeout: Duration.fromInputUnsafe(options.modelTimeout ?? "1 hour"),
    acceptTimeout: Duration.fromInputUnsafe(options.acceptTimeout ?? "1 hour"),
  }).pipe(Effect.provideContext(guarded))
  const agent = yield* make
  return { agent, again: make, home, heard: () => heardIn(home), pids: () => startedIn(home) }
})

type Given = Parameters<typeof codex>[0]

/** One client of Codex. */
export const client = Effect.fnUntraced(function* (options?: Given) {
  const made = yield* codex(options)
  return { ...made, ...(yield* made.agent.attach) }
})

/** A client with a thread that has these options. `says`: the thread's answer to a script */
export const thread = Effect.fnUntraced(function* (options?: Given, started: CodexStartOptions = {}) {
  const made = yield* client(options)
  const threadId = yield* made.start(started)
  const says = (...asked: Parameters<typeof script>) =>
    Effect.map(made.turn(threadId, { prompt: script(...asked) }, listener()), ({ content }) => content)
  return { ...made, threadId, says }
})
