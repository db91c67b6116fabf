/**
 * The work that a turn of Codex has begun, as a value: turns of its thread and of its sub-agents, and calls of tools.
 *
 * @see Codex 0.171 app-server: measured. A sub-agent has a thread of its own. It may begin other sub-agents after its parent's
 *   turn has ended. A command may outlive the turn that began it. While a thread has an active goal, Codex starts the next
 *   turn by itself
 */
import { type JsonObject, recordOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import { clip } from "@zain/command/Clip"
import type { BackgroundWork } from "@zain/core/McpBackground"
import { visibleLine } from "@zain/core/TerminalText"
import * as CodexItems from "./CodexItems.ts"

/** A running call that may need an approval. */
export interface Call {
  readonly id: string
  readonly threadId: string
  readonly isCommand: boolean
  /** Whether the command has ended, and left processes. */
  readonly isLeft?: true
  readonly title: string
}

/** The work of one turn. */
export interface CodexWork {
  /** The thread of the turn itself. */
  readonly threadId: string
  /** Running turns, and their threads. */
  readonly turns: ReadonlyMap<string, string>
  /** All turns so far, and their threads. */
  readonly known: ReadonlyMap<string, string>
  /** Titles of the sub-agents, by their threads. */
  readonly agents: ReadonlyMap<string, string>
  /** Running calls, by `keyOf`. */
  readonly calls: ReadonlyMap<string, Call>
  /** Threads with a turn that was interrupted or failed. */
  readonly cut: ReadonlySet<string>
  /** Whether the thread has an active goal. */
  readonly hasGoal: boolean
}

/** The work of a turn that has not begun. */
export const start = (threadId: string): CodexWork => {
  const none = new Map<string, never>()
  return { threadId, turns: none, known: none, agents: none, calls: none, cut: new Set(), hasGoal: false }
}

/** Codex has accepted the turn. Its start, and its end, may have been reported before. */
export const accepted = (work: CodexWork, turnId: string): CodexWork => turnBegan(work, turnId, work.threadId)

/** The work after a notification of Codex. */
export const after = (work: CodexWork, method: string, params: JsonObject): CodexWork => {
  const threadId = textOf(params, "threadId") ?? work.threadId
  const item = recordOf(params, "item")
  const turnId = textOf(recordOf(params, "turn"), "id")
  if (method === "turn/started" && turnId !== undefined) return turnBegan(work, turnId, threadId)
  if (method === "turn/completed" && turnId !== undefined) {
    const isWhole = recordOf(params, "turn")["status"] === "completed"
    const hasGoal = work.hasGoal && (threadId !== work.threadId || isWhole)
    const known = new Map(work.known).set(turnId, threadId)
    const cut = isWhole ? work.cut : new Set(work.cut).add(threadId)
    return { ...work, turns: without(work.turns, turnId), known, cut, hasGoal }
  }
  if (method === "thread/goal/updated" && threadId === work.threadId) {
    return { ...work, hasGoal: recordOf(params, "goal")["status"] === "active" }
  }
  if (method === "item/started") return itemBegan(work, threadId, params)
  if (method === "item/completed") {
    const calls = without(work.calls, keyOf(threadId, textOf(item, "id")))
    return spawned(calls === work.calls ? work : { ...work, calls }, item)
  }
  return work
}

/** The work after a look at the processes of an ended command. */
export const looked = (work: CodexWork, call: Call, isAlive: boolean): CodexWork => {
  const key = keyOf(call.threadId, call.id)
  const before = work.calls.get(key)
  if (isAlive && before === undefined) {
    return { ...work, calls: new Map(work.calls).set(key, { ...call, isLeft: true }) }
  }
  return !isAlive && before?.isLeft ? { ...work, calls: without(work.calls, key) } : work
}

/** The ended commands whose processes have not ended. */
export const leftOf = (work: CodexWork): ReadonlyArray<Call> => commandsOf(work).filter(({ isLeft }) => isLeft)

/** Codex did not start the next turn for the thread's goal. */
export const withoutGoal = (work: CodexWork): CodexWork => ({ ...work, hasGoal: false })

/** The work without sub-agents that never began. */
export const withoutAgents = (work: CodexWork, gone: ReadonlyArray<string>): CodexWork => ({
  ...work,
  agents: gone.reduce<ReadonlyMap<string, string>>(without, work.agents),
})

/** Whether nothing runs, and the first turn of a sub-agent is about to begin. */
export const isExpecting = (work: CodexWork): boolean =>
  isAnswered(work) && work.turns.size === 0 && awaited(work).length > 0

/** Whether the agent itself has nothing more to say. */
export const isAnswered = (work: CodexWork): boolean => !work.hasGoal && isIdle(work, work.threadId)

/** Whether all has ended: the turn, its sub-agents and its commands. */
export const isOver = (work: CodexWork): boolean =>
  isAnswered(work) && work.turns.size === 0 && awaited(work).length === 0 && commandsOf(work).length === 0

/** Whether no turn of a thread is running. */
export const isIdle = ({ turns }: CodexWork, threadId: string): boolean => ![...turns.values()].includes(threadId)

/** How many turns a thread has had. */
export const ageOf = ({ known }: CodexWork, threadId: string): number =>
  [...known.values()].filter((one) => one === threadId).length

/** The sub-agents whose first turn is about to begin. */
export const awaited = (work: CodexWork): ReadonlyArray<string> =>
  [...work.agents.keys()].filter((threadId) => ageOf(work, threadId) === 0)

/** The running commands, of a thread or of all. */
export const commandsOf = ({ calls }: CodexWork, threadId?: string): ReadonlyArray<Call> =>
  [...calls.values()].filter((call) => call.isCommand && (threadId === undefined || call.threadId === threadId))

/**
 * The commands of a thread whose ends Codex may never report: one that waited for an approval when its turn was cut is
 * forgotten.
 */
export const doubtful = (work: CodexWork, threadId: string): ReadonlyArray<Call> =>
  work.cut.has(threadId) && isIdle(work, threadId) ? commandsOf(work, threadId).filter(({ isLeft }) => !isLeft) : []

/** The running calls of programs of a thread's model. */
export const programsOf = ({ calls }: CodexWork, threadId: unknown): ReadonlyArray<string> =>
  [...calls.values()].flatMap((call) => (call.threadId === threadId && call.id.startsWith(ofProgram) ? [call.id] : []))

/** The work that goes on without the agent: running sub-agents, and commands that a turn has left running. */
export const left = (work: CodexWork): ReadonlyArray<BackgroundWork> => [
  ...[...work.agents].flatMap(([workId, title]) =>
    isIdle(work, workId) && ageOf(work, workId) > 0 ? [] : [{ workId, kind: "sub-agent" as const, title }],
  ),
  ...commandsOf(work).flatMap((call) => (isIdle(work, call.threadId) ? [commandWork(call)] : [])),
]

/** A command, as a piece of background work. */
export const commandWork = ({ id, title }: Call): BackgroundWork => ({ workId: id, kind: "command", title })

/** Prefix of the ids of calls that a program of the model makes. */
const ofProgram = "exec-"

/** Items that require approvals, whose ids the model chooses. */
const calls: ReadonlySet<unknown> = new Set(["commandExecution", "fileChange", "mcpToolCall"])

const keyOf = (threadId: string, id: string | undefined) => `${threadId} ${id}`

/** The thread, turn and id of a call that begins; `undefined` for any other notification. */
export const callOf = (method: string, params: JsonObject): string | undefined => {
  const item = recordOf(params, "item")
  const id = textOf(item, "id")
  if (method !== "item/started" || id === undefined || !calls.has(item["type"])) return undefined
  return [textOf(params, "threadId"), textOf(params, "turnId"), id].join(" ")
}

const turnBegan = (work: CodexWork, turnId: string, threadId: string): CodexWork => {
  if (work.known.has(turnId)) return work
  const isNamed = threadId === work.threadId || work.agents.has(threadId)
  return {
    ...work,
    turns: new Map(work.turns).set(turnId, threadId),
    known: new Map(work.known).set(turnId, threadId),
    agents: isNamed ? work.agents : new Map(work.agents).set(threadId, unnamed),
  }
}

const itemBegan = (work: CodexWork, threadId: string, params: JsonObject): CodexWork => {
  const item = recordOf(params, "item")
  const id = textOf(item, "id")
  if (id === undefined || !calls.has(item["type"])) return spawned(work, item)
  const title = CodexItems.titleOf(item)
  const call = {
    id,
    threadId,
    isCommand: item["type"] === "commandExecution",
    title: clip(visibleLine(title), maxTitleLength),
  }
  return {
    ...work,
    calls: new Map(work.calls).set(keyOf(threadId, id), call),
  }
}

/** Limit of a title, in characters, and the title of a sub-agent that has none. */
const [maxTitleLength, unnamed] = [200, "sub-agent"]

/** Adds the sub-agents that an item names. */
const spawned = (work: CodexWork, item: JsonObject): CodexWork => {
  const named =
    item["type"] === "collabAgentToolCall" && item["tool"] === "spawnAgent"
      ? textsOf(item, "receiverThreadIds").map((id) => [id, textOf(item, "prompt")] as const)
      : item["type"] === "subAgentActivity" && item["kind"] === "started"
        ? [[textOf(item, "agentThreadId"), textOf(item, "agentPath")] as const]
        : []
  const agents = new Map(work.agents)
  for (const [id, title = ""] of named) {
    if (id !== undefined && id !== work.threadId) agents.set(id, clip(visibleLine(title || unnamed), maxTitleLength))
  }
  return named.length === 0 ? work : { ...work, agents }
}

const without = <Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> => {
  if (!map.has(key)) return map
  const rest = new Map(map)
  rest.delete(key)
  return rest
}
