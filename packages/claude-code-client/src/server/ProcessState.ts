/**
 * The state of a process of Claude Code, as a value.
 *
 * @see Claude Code 2.1.332: measured
 */
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { recordOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import type { McpSteered } from "@zain/core/McpSteer"
import * as BackgroundTasks from "./BackgroundTasks.ts"

/**
 * - `Starting`: it has begun no turn yet
 * - `Idle`: it works on nothing, except in the background
 * - `InTurn`: it works on the prompt of this turn
 * - `Steered`: it works on a further text of the user's in this turn, after the answer to its prompt
 * - `Unasked`: it works on a turn of its own, about background work; `turn` began that work
 * - `Spent`: it can run no further turn, and is to end
 * - `Deaf`: it did not end what it had to, and is to be killed
 * - `Ended`: it has ended, for this reason
 */
export type Activity =
  | { readonly _tag: "Starting" | "Idle" | "Spent" | "Deaf" }
  | { readonly _tag: "InTurn" | "Steered"; readonly turn: string }
  | { readonly _tag: "Unasked"; readonly turn: string | undefined }
  | { readonly _tag: "Ended"; readonly reason: string }

/** The state. A turn is named by the id of its prompt. */
export interface ProcessState {
  readonly activity: Activity
  /** The turn whose prompt has no answer yet. */
  readonly asked: string | undefined
  /** Whether nothing was heard since that prompt was sent, except that an earlier one is completed. */
  readonly isSilent: boolean
  /** Whether Claude Code has stored the thread. */
  readonly isKept: boolean
  /** How this version tells of which prompt a turn is: in its messages, or when it starts a prompt. */
  readonly prompts: "named" | "started"
  /** The prompt that it started last. */
  readonly begun: string | undefined
  /** Further texts of the user's by their ids, which Claude Code has not taken. A begun one has a turn of its own. */
  readonly steers: ReadonlyMap<string, { readonly turn: string; readonly isBegun: boolean }>
  readonly tasks: BackgroundTasks.BackgroundTasks
  /** The reports of background work that has ended, on which Claude Code, or this sub-agent, does not yet work. */
  readonly due: ReadonlyArray<{ readonly turn: string | undefined; readonly agent?: string }>
  /** Whether this version tells when it is idle. */
  readonly tellsIdle: boolean
}

/** What a message changes, and whom it concerns. */
export interface Step {
  readonly state: ProcessState
  /** The turn that the message belongs to; `all` for one that does not tell. */
  readonly turn: string | "all" | undefined
  /** A text of the user's, and what became of it. */
  readonly steered?: { readonly id: string; readonly how: McpSteered }
  /** Why the prompt will have no answer, by this message. */
  readonly dropped?: "interrupted" | "unanswered"
  readonly finished: ReadonlyArray<BackgroundTasks.FinishedTask>
}

export const start: ProcessState = {
  activity: { _tag: "Starting" },
  asked: undefined,
  isSilent: true,
  isKept: false,
  prompts: "started",
  begun: undefined,
  steers: new Map(),
  tasks: BackgroundTasks.none,
  due: [],
  tellsIdle: false,
}

/** The state after the prompt of a turn was sent. */
export const ask = (state: ProcessState, turn: string): ProcessState => ({ ...state, asked: turn, isSilent: true })

/** The state after a further text of the user's was sent in a turn. */
export const steer = (state: ProcessState, id: string, turn: string): ProcessState => ({
  ...state,
  steers: new Map(state.steers).set(id, { turn, isBegun: false }),
})

/** The state in which these further texts are not expected to be taken. */
const withoutSteers = (state: ProcessState, isMeant: (id: string, turn: string) => boolean): ProcessState => ({
  ...state,
  steers: new Map([...state.steers].filter(([id, { turn }]) => !isMeant(id, turn))),
})

/** The state in which a further text is not expected to be taken. */
const unsteer = (state: ProcessState, id: string): ProcessState => withoutSteers(state, (one) => one === id)

/** The state after a turn and its background work. */
export const release = (state: ProcessState, turn: string): ProcessState => ({
  ...withoutSteers(spoken(state, turn), (_, of) => of === turn),
  asked: state.asked === turn ? undefined : state.asked,
  tasks: BackgroundTasks.forget(state.tasks, turn),
})

/** The state in which a report that is due for a turn is no longer expected. */
export const spoken = (state: ProcessState, turn: string): ProcessState => ({
  ...state,
  due: state.due.filter((one) => one.turn !== turn),
})

/** The state of a process that must run no further turn. */
export const end = (state: ProcessState, how: "Spent" | "Deaf"): ProcessState =>
  state.activity._tag === "Ended" ? state : { ...state, activity: { _tag: how } }

/** The state after the process has ended, and the work that ended with it. */
export const ended = (state: ProcessState, reason: string): Pick<Step, "state" | "finished"> => {
  const { finished, tasks } = BackgroundTasks.lost(state.tasks)
  // A thread that exists was stored by an earlier process.
  const isKept = state.isKept || (state.isSilent && reason.includes("is already in use"))
  return { state: { ...state, activity: { _tag: "Ended", reason }, isKept, tasks, due: [] }, finished }
}

/** Whether the process can run another turn. */
export const isUsable = ({ activity: { _tag } }: ProcessState): boolean =>
  _tag !== "Spent" && _tag !== "Deaf" && _tag !== "Ended"

/**
 * - `working`: its prompt, a report or a sub-agent is being worked on
 * - `due`: Claude Code is about to work on the report of background work
 * - `commands`: only commands are left
 * - `settled`: it is over with all its background work
 */
export type TurnPhase = "working" | "due" | "commands" | "settled"

/** How far a turn is. */
export const phaseOf = (state: ProcessState, turn: string): TurnPhase => {
  const running = BackgroundTasks.ofTurn(state.tasks, turn)
  if (isActive(state, turn) || running.some(({ kind }) => kind === "sub-agent")) return "working"
  return state.due.some((one) => one.turn === turn) ? "due" : running.length > 0 ? "commands" : "settled"
}

/** Whether Claude Code itself works on a turn, or its prompt or a further text waits. */
export const isActive = ({ activity, asked, steers }: ProcessState, turn: string): boolean =>
  asked === turn ||
  ("turn" in activity && activity.turn === turn) ||
  (steers.size > 0 && [...steers.values()].some((one) => one.turn === turn))

/** Whether Claude Code works on the prompt or a report of another turn, which an interrupt would end. */
export const isElsewhere = ({ activity, asked }: ProcessState, turn: string): boolean =>
  [asked, "turn" in activity ? activity.turn : undefined].some((one) => one !== undefined && one !== turn)

/** The state after a message, except of the handshake. */
export const hear = (before: ProcessState, message: AgentMessage): Step => {
  const type = message["type"]
  // The end of a turn is reported after its result.
  const isOfEarlier =
    (type === "command_lifecycle" && message["state"] === "completed" && message["command_uuid"] !== before.asked) ||
    (message["subtype"] === "session_state_changed" && message["state"] === "idle")
  const heard = isOfEarlier ? before : { ...before, isSilent: false }
  if (type === "command_lifecycle") return followed(heard, message)
  const at = moved(heard, message)
  const { activity, asked } = at
  const own = "turn" in activity ? activity.turn : asked
  const { finished, tasks } = BackgroundTasks.hear(at.tasks, message, own)
  const reports = finished.flatMap(({ reportedTo, turn }) =>
    reportedTo === undefined ? [] : [{ ...reportedTo, turn }],
  )
  const waiting = at.due.filter(({ agent }) => agent === undefined || !BackgroundTasks.isRunning(tasks, agent))
  const isKept = at.isKept || (activity._tag !== "Starting" && (type === "assistant" || type === "result"))
  const state = { ...at, isKept, tasks, due: [...waiting, ...reports] }
  const about = textOf(message, "task_id") ?? textOf(message, "agent_id") ?? agentIn(message)
  const owner = about === undefined ? own : (BackgroundTasks.turnOf(tasks, about) ?? own)
  const turn = type === "control_cancel_request" ? "all" : owner
  return type === "result" ? over(state, message) : { state, turn, finished }
}

const agentIn = (message: AgentMessage) => textOf(recordOf(message, "request"), "agent_id")

/** A prompt was started, or will not be. */
const followed = (state: ProcessState, message: AgentMessage): Step => {
  const prompt = textOf(message, "command_uuid")
  const step = { turn: undefined, finished: [] }
  const steered = prompt === undefined ? undefined : state.steers.get(prompt)
  if (prompt !== undefined && steered !== undefined) return { ...step, ...taken(state, prompt, steered.turn, message) }
  if (message["state"] === "started") return { ...step, state: { ...state, begun: prompt } }
  if (message["state"] !== "cancelled" || prompt !== state.asked) return { ...step, state }
  return { state: { ...state, asked: undefined }, turn: prompt, dropped: "interrupted", finished: [] }
}

/** A further text was taken by the running turn, began a turn of its own, or was withdrawn. */
const taken = (
  state: ProcessState,
  id: string,
  turn: string,
  message: AgentMessage,
): Pick<Step, "state" | "steered"> => {
  switch (message["state"]) {
    case "started": {
      const isOwnTurn = !("turn" in state.activity)
      const next = isOwnTurn
        ? { ...state, begun: id, steers: new Map(state.steers).set(id, { turn, isBegun: true }) }
        : unsteer(state, id)
      return { state: next, steered: { id, how: "applied" } }
    }
    case "cancelled":
      return { state: unsteer(state, id), steered: { id, how: "queued" } }
    default:
      return { state }
  }
}

/** Whether a message is of a turn that answers the prompt. */
const isFor = ({ asked, begun, prompts }: ProcessState, message: AgentMessage): boolean =>
  asked !== undefined &&
  (prompts === "named" ? textsOf(message, "user_message_uuids").includes(asked) : asked === (begun ?? asked))

/** Whether Claude Code itself works on a report, not a sub-agent. */
const isOwn = ({ agent }: ProcessState["due"][number]): boolean => agent === undefined

/** The state by what a message tells of the turn that it is of. */
const moved = (state: ProcessState, message: AgentMessage): ProcessState => {
  if (!isUsable(state)) return state
  const { activity, asked, due } = state
  if (message["subtype"] === "session_state_changed") {
    return message["state"] === "idle"
      ? { ...state, due: due.filter((report) => !isOwn(report)), tellsIdle: true }
      : { ...state, tellsIdle: true }
  }
  if (message["subtype"] === "init") {
    const prompts = textsOf(message, "capabilities").includes("request_marker_lists_v1") ? "named" : "started"
    const next: ProcessState = { ...state, prompts }
    if (asked !== undefined && isFor(next, message)) return { ...next, activity: { _tag: "InTurn", turn: asked } }
    const [steered] = [...state.steers].filter(([, { isBegun }]) => isBegun)
    if (steered !== undefined) {
      const { turn } = steered[1]
      return {
        ...withoutSteers(next, (id) => state.steers.get(id)?.isBegun === true),
        activity: { _tag: "Steered", turn },
      }
    }
    return {
      ...next,
      activity: { _tag: "Unasked", turn: due.findLast(isOwn)?.turn ?? BackgroundTasks.anyTurn(state.tasks) },
    }
  }
  // A running turn of Claude Code may accept a prompt.
  if (activity._tag === "Unasked" && state.prompts === "named" && asked !== undefined && isFor(state, message)) {
    return { ...state, activity: { _tag: "InTurn", turn: asked } }
  }
  return state
}

/** A turn of Claude Code is over. Its messages after that belong to no turn. */
const over = (state: ProcessState, message: AgentMessage): Step => {
  const { activity, asked, due, tellsIdle } = state
  const idle: ProcessState = "turn" in activity ? { ...state, activity: { _tag: "Idle" } } : state
  if (activity._tag === "Unasked") {
    const last = tellsIdle ? undefined : due.findLast(isOwn)
    return { state: { ...idle, due: due.filter((report) => report !== last) }, turn: activity.turn, finished: [] }
  }
  if (activity._tag === "Steered") return { state: idle, turn: activity.turn, finished: [] }
  if (asked === undefined) return { state: idle, turn: undefined, finished: [] }
  const answered = { state: { ...idle, asked: undefined }, turn: asked, finished: [] }
  return isFor(state, message) ? answered : { ...answered, dropped: "unanswered" }
}
