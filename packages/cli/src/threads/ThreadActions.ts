/**
 * `zain threads`: the work.
 */
import { realpath } from "node:fs/promises"
import type { Agent } from "@zain/agent-list/Agent"
import type { ThreadChange } from "@zain/core/AgentConnection"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpThread, McpThreadTurn, McpThreadTurns } from "@zain/core/McpThreads"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ChosenAgent from "../ChosenAgent.ts"
import { harmless } from "../ExactText.ts"
import * as Table from "../mcp/Table.ts"
import * as Output from "../Output.ts"
import * as Passed from "../Passed.ts"
import * as AgentSession from "../run/AgentSession.ts"
import * as AgentThreads from "../run/AgentThreads.ts"
import * as EventText from "../run/EventText.ts"

interface Common extends ChosenAgent.Choosing {
  readonly env: ReadonlyArray<string>
}
interface Of extends Common {
  /** The thread. */
  readonly id: string
}

/** The session of an agent in the working directory. */
const sessionOf = Effect.fnUntraced(function* (name: string, asked: Common, agents: ReadonlyArray<Agent>) {
  const [path, cwd] = [["zain", "threads", name], process.cwd()]
  const env = yield* Passed.variables(path, asked.env)
  const { agent, facts } = yield* ChosenAgent.choose(path, asked, agents, cwd)
  const command = Option.getOrUndefined(asked.command)
  return yield* AgentSession.make(agent, facts, { command, env, cwd, options: { cwd } })
})

/** @returns the exit code */
export const list = Effect.fnUntraced(function* (
  asked: Common & {
    readonly all: boolean
    readonly archived: boolean
    readonly cursor: Option.Option<string>
    readonly json: boolean
    readonly limit: number
  },
  agents: ReadonlyArray<Agent>,
) {
  const { all, archived, limit } = asked
  const session = yield* sessionOf("list", asked, agents)
  const here = yield* Effect.promise(() => realpath(process.cwd()))
  const query = { archived, limit, ...(all ? {} : { cwd: here }) }
  const cursor = Option.isSome(asked.cursor) ? { cursor: asked.cursor.value } : {}
  const page = yield* AgentThreads.use(session, (threads, id) => threads.list(id, { ...query, ...cursor }))
  const [stdout, stderr] = [Output.of(process.stdout), Output.of(process.stderr)]
  if (asked.json) return yield* Effect.as(stdout.write(Output.json(page)), 0)
  if (page.threads.length === 0) {
    const where = all ? "" : ` in ${here}. See --all`
    stderr.print(`No ${archived ? "archived " : ""}threads${where}.\n`)
    return 0
  }
  const head = ["Thread", "Changed", "Title", ...(all ? ["Directory"] : [])]
  const rows = page.threads.map((thread) => [
    ...[thread.threadId, EventText.timeOf(thread.updatedAt, ""), titleOf(thread)],
    ...(all ? [thread.cwd] : []),
  ])
  yield* stdout.write(Table.inWords(head, rows, 2, stdout))
  if (page.next !== undefined) stderr.print(`More: --cursor ${harmless(page.next)}\n`)
  return 0
})

const titleOf = ({ firstPrompt = "", title }: McpThread): string => (title ?? firstPrompt).replace(/\s+/g, " ").trim()

/** @returns the exit code */
export const show = Effect.fnUntraced(function* (
  { id: threadId, json, ...asked }: Of & { readonly json: boolean },
  agents: ReadonlyArray<Agent>,
) {
  const session = yield* sessionOf("show", asked, agents)
  const stdout = Output.of(process.stdout)
  yield* AgentThreads.use(
    session,
    Effect.fnUntraced(function* (threads, id) {
      let next: { readonly cursor?: string } | undefined = {}
      while (next !== undefined) {
        const page: McpThreadTurns = yield* threads.read(id, threadId, next)
        for (const turn of page.turns) yield* stdout.write(json ? Output.json(turn) : textOf(turn, stdout))
        next = page.next === undefined ? undefined : { cursor: page.next }
      }
    }),
  )
  return 0
})

/** A turn for people. */
const textOf = ({ at, events, omitted = 0, prompt, turn }: McpThreadTurn, { paint }: Output.Output): string => {
  const when = at === undefined ? "" : ` ${EventText.timeOf(at, "")}`
  const parts = [
    paint.dim(`── ${harmless(turn)}${when}`),
    paint.bold(harmless(prompt).replace(/^/gm, "> ")),
    ...(omitted === 0 ? [] : [paint.dim(`(${omitted} earlier events are left out)`)]),
    ...events.flatMap((event) => lineOf(event, paint) ?? []),
  ]
  return `${parts.join("\n")}\n\n`
}

const lineOf = (event: McpEventContent, paint: Output.Paint): string | undefined => {
  if (event._tag === "Message") return harmless(event.text)
  if (event._tag === "ToolStarted") return paint.dim(`• ${harmless(event.title).replaceAll("\n", " ")}`)
  return EventText.of(event, paint)
}

/** @returns the exit code */
export const fork = Effect.fnUntraced(function* (
  { id: threadId, json, turn, ...asked }: Of & { readonly json: boolean; readonly turn: Option.Option<string> },
  agents: ReadonlyArray<Agent>,
) {
  const session = yield* sessionOf("fork", asked, agents)
  const options = Option.isSome(turn) ? { turn: turn.value } : {}
  const copy = yield* AgentThreads.use(session, (threads, id) => threads.fork(id, threadId, options))
  yield* Output.of(process.stdout).write(json ? Output.json({ threadId: copy }) : `${harmless(copy)}\n`)
  return 0
})

/** @returns the exit code */
export const change = Effect.fnUntraced(function* (
  { id: threadId, ...asked }: Of,
  change: ThreadChange,
  agents: ReadonlyArray<Agent>,
) {
  const session = yield* sessionOf(change.action === "unarchive" ? "archive" : change.action, asked, agents)
  yield* AgentThreads.use(session, (threads, id) =>
    change.action === "rename" ? threads.rename(id, threadId, change.title) : threads[change.action](id, threadId),
  )
  return 0
})
