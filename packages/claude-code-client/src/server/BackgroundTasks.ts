/**
 * What Claude Code runs beside its own turns, as a value: sub-agents, and commands in the background.
 *
 * @see Claude Code 2.1.332: measured. `background_tasks_changed` lists all of it, before `task_started` and after
 * `task_notification`
 */
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import { clip } from "@zain/command/Clip"
import type { BackgroundWork } from "@zain/core/McpBackground"
import { visibleLine } from "@zain/core/TerminalText"

/** One piece of it. One that does not run is of the foreground, or has ended: a sub-agent runs again when its command ends. */
export interface BackgroundTask {
  readonly work: BackgroundWork
  /** The turn that began it; `undefined` if none of the client's did. */
  readonly turn: string | undefined
  /** The sub-agent that began it; `undefined` if Claude Code itself did. */
  readonly parent: string | undefined
  readonly isRunning: boolean
  /** Whether it is of `LeftProcesses`, of which no message tells. */
  readonly isLeft?: boolean
}

/** All of it. */
export interface BackgroundTasks {
  /** By the id at Claude Code, which is also the id of a sub-agent. */
  readonly known: ReadonlyMap<string, BackgroundTask>
  /** The command lines of running tools, by the ids of their calls. */
  readonly lines: ReadonlyMap<string, string>
}

/** A piece that has ended. */
export interface FinishedTask extends Pick<BackgroundTask, "turn" | "work"> {
  /** Whether it failed or was stopped. */
  readonly isError: boolean
  /** Who works on a report of it next: Claude Code itself, or the sub-agent of this id, which has ended and runs again. */
  readonly reportedTo: { readonly agent?: string } | undefined
}

/** The tasks after a message. */
export interface TasksStep {
  readonly tasks: BackgroundTasks
  readonly finished: ReadonlyArray<FinishedTask>
}

export const none: BackgroundTasks = { known: new Map(), lines: new Map() }

/** The longest title, in characters. */
const maxTitleLength = 500

/** A command line or a description as a title. */
export const titleOf = (text: string): string => clip(visibleLine(text), maxTitleLength)

/** The longest id, in characters. A piece of work with a longer one ends with the process only. */
const maxIdLength = 200

/** How many command lines are kept; the oldest are forgotten. */
const maxLines = 1_000

const idOf = (message: AgentMessage, key: string): string => clip(textOf(message, key) ?? "", maxIdLength)

/**
 * The tasks after a message; `tasks` itself if it is about none.
 *
 * @param turn the turn that Claude Code works on
 */
export const hear = (tasks: BackgroundTasks, message: AgentMessage, turn: string | undefined): TasksStep => {
  switch (message["subtype"] ?? message["type"]) {
    case "assistant":
    case "user":
      return { tasks: called(tasks, recordsOf(recordOf(message, "message"), "content")), finished: [] }
    case "background_tasks_changed": {
      const listed = recordsOf(message, "tasks").filter((task) => !isOwn(task))
      const ids = new Set(listed.map((task) => idOf(task, "task_id")))
      const left = running(tasks).filter(({ isLeft, work }) => isLeft !== true && !ids.has(work.workId))
      return {
        tasks: listed.reduce((all, task) => started(all, task, turn, true), without(tasks, left)),
        finished: left.map((task) => ({ ...task, isError: false, reportedTo: readerOf(tasks, task, false) })),
      }
    }
    case "task_started":
      return { tasks: started(tasks, message, turn, message["is_backgrounded"] !== false), finished: [] }
    case "task_notification": {
      const task = tasks.known.get(idOf(message, "task_id"))
      if (!task?.isRunning) return { tasks, finished: [] }
      const status = message["status"]
      const reportedTo = readerOf(tasks, task, status !== "completed" && status !== "failed")
      return { tasks: without(tasks, [task]), finished: [{ ...task, isError: status !== "completed", reportedTo }] }
    }
    case "session_state_changed":
      // No result comes for what has none by now.
      return { tasks: message["state"] === "idle" ? { ...tasks, lines: none.lines } : tasks, finished: [] }
    default:
      return { tasks, finished: [] }
  }
}

/** A stopped command is reported to its sub-agent, not to Claude Code itself. A sub-agent that runs does not run again. */
const readerOf = ({ known }: BackgroundTasks, { parent = "", work }: BackgroundTask, isStopped: boolean) => {
  if (work.kind === "sub-agent") return {}
  const owner = known.get(parent)
  if (owner !== undefined) return owner.isRunning ? undefined : { agent: parent }
  return isStopped ? undefined : {}
}

const called = (tasks: BackgroundTasks, blocks: ReadonlyArray<AgentMessage>): BackgroundTasks => {
  const lines = new Map(tasks.lines)
  for (const block of blocks) {
    const line = textOf(recordOf(block, "input"), "command")
    if (line !== undefined) lines.set(idOf(block, "id"), titleOf(line))
    lines.delete(idOf(block, "tool_use_id"))
    const [oldest] = lines.keys()
    if (lines.size > maxLines && oldest !== undefined) lines.delete(oldest)
  }
  return { ...tasks, lines }
}

/** Claude Code's own errands, such as a memory of the turn. A watcher that the model requested is none. */
const isOwn = (task: AgentMessage): boolean =>
  task["ambient"] === true && !(textOf(task, "task_type") ?? "").startsWith("monitor")

const started = (
  tasks: BackgroundTasks,
  task: AgentMessage,
  turn: string | undefined,
  isBackground: boolean,
): BackgroundTasks => {
  const workId = idOf(task, "task_id")
  const before = tasks.known.get(workId)
  const parent = tasks.known.get(idOf(task, "parent_task_id"))
  const line = tasks.lines.get(idOf(task, "tool_use_id"))
  const isCommand = /^(local_bash|monitor)/.test(textOf(task, "task_type") ?? "")
  const title = line ?? before?.work.title ?? titleOf(textOf(task, "description") ?? workId)
  return put(tasks, {
    work: { workId, kind: isCommand ? "command" : "sub-agent", title },
    turn: before?.turn ?? parent?.turn ?? turn ?? lastOf(tasks),
    parent: parent?.work.workId ?? before?.parent,
    isRunning: isBackground || before?.isRunning === true,
  })
}

const put = (tasks: BackgroundTasks, task: BackgroundTask): BackgroundTasks => ({
  ...tasks,
  known: new Map(tasks.known).set(task.work.workId, task),
})

const without = (tasks: BackgroundTasks, ended: ReadonlyArray<BackgroundTask>): BackgroundTasks =>
  ended.reduce((all, task) => put(all, { ...task, isRunning: false }), tasks)

const running = (tasks: BackgroundTasks): ReadonlyArray<BackgroundTask> =>
  [...tasks.known.values()].filter(({ isRunning }) => isRunning)

/**
 * The tasks after a look at the processes that commands left.
 *
 * @param turn the turn of those that were not seen before; `undefined` to add none
 */
export const look = (tasks: BackgroundTasks, left: ReadonlyArray<BackgroundWork>, turn?: string): TasksStep => {
  const ids = new Set(left.map(({ workId }) => workId))
  const gone = running(tasks).filter(({ isLeft, work }) => isLeft === true && !ids.has(work.workId))
  const fresh = turn === undefined ? [] : left.filter(({ workId }) => tasks.known.get(workId)?.isRunning !== true)
  return {
    tasks: fresh.reduce(
      (all, work) => put(all, { work, turn, parent: undefined, isRunning: true, isLeft: true }),
      without(tasks, gone),
    ),
    finished: gone.map((task) => ({ ...task, isError: false, reportedTo: undefined })),
  }
}

/** Whether anything that commands left still runs. */
export const hasLeft = (tasks: BackgroundTasks): boolean => running(tasks).some(({ isLeft }) => isLeft === true)

/** Whether all that still runs of a turn is what commands left. */
export const isLeft = (tasks: BackgroundTasks, turn: string): boolean =>
  running(tasks).every((task) => task.turn !== turn || task.isLeft === true)

/** Whether a sub-agent runs. */
export const isRunning = (tasks: BackgroundTasks, id: string): boolean => tasks.known.get(id)?.isRunning === true

/** The tasks after the end of the process: all that ran has ended. */
export const lost = (tasks: BackgroundTasks): TasksStep => ({
  tasks: none,
  finished: running(tasks).map((task) => ({ ...task, isError: true, reportedTo: undefined })),
})

/** The work of a turn that is still running. */
export const ofTurn = (tasks: BackgroundTasks, turn: string): ReadonlyArray<BackgroundWork> =>
  running(tasks).flatMap((task) => (task.turn === turn ? [task.work] : []))

/** The turn of a sub-agent or a command. The sub-agents of a workflow have ids of their own. */
export const turnOf = (tasks: BackgroundTasks, id: string): string | undefined => {
  const task = tasks.known.get(clip(id, maxIdLength))
  return task === undefined ? lastOf(tasks) : task.turn
}

/** The turn whose running work may start a turn of Claude Code, as an event of a `Monitor` does. */
export const anyTurn = (tasks: BackgroundTasks): string | undefined =>
  running(tasks).findLast(({ isLeft }) => isLeft !== true)?.turn

const lastOf = (tasks: BackgroundTasks) => running(tasks).findLast(({ work }) => work.kind === "sub-agent")?.turn

/** The tasks without those of a turn, and without ended ones of none. */
export const forget = (tasks: BackgroundTasks, turn: string): BackgroundTasks => ({
  ...tasks,
  known: new Map([...tasks.known].filter(([, one]) => one.turn !== turn && (one.isRunning || one.turn !== undefined))),
})
