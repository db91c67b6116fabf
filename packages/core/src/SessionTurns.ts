/**
 * The turns of one session: their order, their limits, and their events.
 *
 * @see docs/concepts/sessions.md
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import type { AgentConnection, AgentRequest, Answer, ToolAnswer, Turn } from "./AgentConnection.ts"
import * as ApprovalUse from "./ApprovalUse.ts"
import type { EventHub } from "./EventHub.ts"
import type { CauseOf } from "./FailedTurn.ts"
import type { IdleWatch, Watched } from "./IdleWatch.ts"
import * as McpApproval from "./McpApproval.ts"
import type { Parsed } from "./McpConnectionConfig.ts"
import { amended, type McpDelivery, type McpError } from "./McpError.ts"
import type { McpEventContent } from "./McpEvents.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import type { McpSteered } from "./McpSteer.ts"
import * as OwnTools from "./OwnTools.ts"
import type { Preparation, Run } from "./Preparation.ts"
import * as QuestionAnswers from "./QuestionAnswers.ts"
import * as SessionFailure from "./SessionFailure.ts"
import * as SteerQueue from "./SteerQueue.ts"
import type { Trace } from "./Telemetry.ts"
import * as TurnQueue from "./TurnQueue.ts"

/** The turns of a session. */
export interface SessionTurns {
  /**
   * Waits in the session's queue, runs the turn, and returns the answer.
   *
   * @param trace the span of the `execute`
   * @param began receives the number of the turn, before its first event
   * @param preparation what the request needs before its turn is sent
   */
  readonly run: (
    request: Prompt,
    trace: Trace | undefined,
    began?: (turn: number) => void,
    preparation?: Preparation,
  ) => Effect.Effect<McpResponse, McpError>
  /** Sends a text into the turn under way. */
  readonly steer: (content: string) => Effect.Effect<McpSteered, McpError>
  /** Returns the queued texts that no turn has followed, and forgets them. */
  readonly unused: () => ReadonlyArray<string>
}

/**
 * - `idle`: detects silent turns
 * - `closed`: the error of a turn that begins after the session has closed; `undefined` while it is open
 * - `named`: receives the `threadId` of the conversation
 * - `tools`: the session's own
 */
export interface Options {
  readonly id: McpSessionId
  readonly provider: McpProvider
  readonly causeOf: CauseOf | undefined
  readonly config: Pick<Parsed, "idleTimeout" | "maxWaiting">
  readonly connection: AgentConnection
  readonly hub: EventHub
  readonly idle: IdleWatch
  readonly clock: Clock.Clock
  readonly policy: McpApproval.McpApprovalPolicy
  readonly closed: () => McpError | undefined
  readonly named: (threadId: string) => void
  readonly tools: ReadonlyArray<OwnTools.OwnTool>
}

/** A request without what its preparation reads. */
type Prompt = Omit<AgentRequest, "images" | "output">

/** One `execute`. `turn`: its number, once it has begun. `due`: its deadline, in milliseconds since 1970. */
interface Attempt {
  readonly trace: Trace | undefined
  readonly began: ((turn: number) => void) | undefined
  readonly preparation: Preparation | undefined
  turn: number | undefined
  ended: Exit.Exit<McpResponse, McpError> | undefined
  due: number | undefined
}

/** Makes the turns of a new session. */
export const make = (options: Options): SessionTurns => {
  const { causeOf, clock, closed, config, connection, hub, id, idle, named, policy, provider, tools } = options
  const inTurn = TurnQueue.make(config.maxWaiting, (waiting) => placed(SessionFailure.tooManyWaiting(id, waiting)))
  let turns = 0
  /** When the turn under way last gave a sign of life, in milliseconds since 1970; `undefined` between turns. */
  let heard: number | undefined
  let underWay: number | undefined
  let threadId: string | undefined
  /** Made by the first `steer`. */
  let steers: SteerQueue.SteerQueue | undefined
  /** Adds the `threadId` to an error, so that the caller can continue the conversation. */
  const placed = <E extends McpError>(error: E): E =>
    threadId === undefined || error.threadId !== undefined ? error : amended(error, { threadId })
  let approvals = 0
  const approved = ApprovalUse.make()
  /** The open approvals, and their turns; `idleTimeout` does not run while the turn under way waits for one. */
  let undecided: Map<string, number> | undefined
  /** Ends calls of own tools, by their turns; `idleTimeout` does not run meanwhile either. */
  let calling: Map<Deferred.Deferred<ToolAnswer>, number> | undefined
  /** The turns that have answered, and whose work goes on. */
  let kept: Map<number, number> | undefined

  const beat = (turn: number) => {
    if (turn === underWay && heard !== undefined) heard = clock.currentTimeMillisUnsafe()
  }
  const publish = (turn: number, event: McpEventContent) => {
    if (turn === underWay) hub.publish(turn, event)
    else if (kept?.has(turn) && event._tag !== "Heartbeat") hub.publish(turns, event, turn)
  }
  const isOpen = (turn: number) => turn === underWay || kept?.has(turn) === true
  /** Declines the open approvals of a turn, and ends its calls of own tools. */
  const withdraw = (turn: number) => {
    for (const [call, its] of calling ?? [])
      if (its === turn) Deferred.doneUnsafe(call, Effect.succeed(OwnTools.turnOver))
    for (const [approvalId, its] of undecided ?? []) {
      if (its !== turn) continue
      undecided?.delete(approvalId)
      publish(turn, { _tag: "ApprovalDecided", approvalId, decision: McpApproval.decline(withdrawn) })
    }
  }

  const approve = (turn: number, request: McpApproval.McpApprovalRequest, trace: Trace | undefined, own = false) =>
    Effect.suspend(() => {
      if (!isOpen(turn)) return Effect.succeed(McpApproval.decline(turnOver))
      const approvalId = String(++approvals)
      undecided ??= new Map()
      undecided.set(approvalId, turn)
      beat(turn)
      publish(turn, { _tag: "ApprovalAsked", approvalId, request })
      const decided = (decision: McpApproval.McpApprovalDecision) => {
        if (!undecided?.delete(approvalId)) return
        if (decision._tag === "ApproveForSession" && !own) approved.add(request)
        beat(turn)
        publish(turn, { _tag: "ApprovalDecided", approvalId, decision: QuestionAnswers.shown(request, decision) })
      }
      const deciding = Effect.suspend(() =>
        policy(request, {
          ...{ provider, sessionId: id, turn },
          ...(own ? { own } : approved.has(request) ? { isApproved: true } : {}),
        }),
      )
      // An adapter may ask from a fiber of `openSession`, whose span has ended: the parent is the span of the turn.
      return (trace === undefined ? deciding : Effect.provideService(deciding, Tracer.ParentSpan, trace.span)).pipe(
        Effect.map((decision) => QuestionAnswers.fitting(request, decision) ?? McpApproval.decline(unfit(request))),
        Effect.catchDefect(() => Effect.succeed(McpApproval.decline("The approval policy failed."))),
        Effect.onExit((exit) =>
          Effect.sync(() => decided(Exit.isSuccess(exit) ? exit.value : McpApproval.decline(withdrawn))),
        ),
        Effect.map(McpApproval.reply),
      )
    })

  const callTool = (turn: number, name: string, args: unknown, trace: Trace | undefined) =>
    Effect.suspend(() => {
      const mayRun = () => isOpen(turn) && closed() === undefined
      if (!mayRun()) return Effect.succeed(OwnTools.turnOver)
      const over = Deferred.makeUnsafe<ToolAnswer>()
      calling ??= new Map()
      calling.set(over, turn)
      beat(turn)
      const call = OwnTools.call(tools, {
        ...{ name, args, isOpen: mayRun },
        context: { provider, sessionId: id, turn },
        approve: (request) => approve(turn, request, trace, true),
      })
      return Effect.raceFirst(
        trace === undefined ? call : Effect.provideService(call, Tracer.ParentSpan, trace.span),
        Deferred.await(over),
      ).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            calling?.delete(over)
            beat(turn)
          }),
        ),
      )
    })

  const tell = (turn: number, event: McpEventContent) => {
    beat(turn)
    if (event._tag === "ThreadStarted") {
      if (event.threadId === threadId) return
      threadId = event.threadId
      named(threadId)
    }
    publish(turn, event)
  }

  const begin = (attempt: Attempt, run: Run): Effect.Effect<Answer, McpError> => {
    const error = closed()
    if (error !== undefined) return Effect.fail(error)
    const turn = ++turns
    attempt.turn = turn
    underWay = turn
    heard = clock.currentTimeMillisUnsafe()
    idle.begin(limit, watched)
    attempt.trace?.began(turn)
    attempt.began?.(turn)
    hub.publish(turn, { _tag: "TurnStarted" })
    const context: Turn = {
      beat: () => beat(turn),
      approve: (request) => approve(turn, request, attempt.trace),
      callTool: (name, args) => callTool(turn, name, args, attempt.trace),
      observed: hub.observed,
      trace: attempt.trace,
      emit: (event) => tell(turn, event),
      keep: () => {
        kept ??= new Map()
        kept.set(turn, (kept.get(turn) ?? 0) + 1)
      },
      over: () => {
        if (turn !== underWay) withdraw(turn)
        const left = (kept?.get(turn) ?? 0) - 1
        if (left > 0) kept?.set(turn, left)
        else kept?.delete(turn)
      },
    }
    return run(steers?.around(connection) ?? connection, context)
  }

  /**
   * Waits for readers that only read: they have every event of the turn before `execute` settles and the next turn
   * begins.
   */
  const end = (attempt: Attempt, exit: Exit.Exit<McpResponse, McpError>): Effect.Effect<void> | undefined => {
    const { due, turn } = attempt
    if (turn === undefined) return undefined
    if (!Exit.hasInterrupts(exit)) attempt.ended = exit
    const isLate = due !== undefined && clock.currentTimeMillisUnsafe() >= due
    heard = undefined
    idle.end(limit, watched)
    if (!kept?.has(turn)) withdraw(turn)
    underWay = undefined
    hub.publish(turn, outcome(exit, isLate))
    return hub.observed() && (isLate || !Exit.hasInterrupts(exit)) ? hub.caughtUp : undefined
  }

  const limit = Duration.toMillis(config.idleTimeout)
  const watched: Watched = {
    silence: (now) => {
      const isAsking = [...(undecided?.values() ?? []), ...(calling?.values() ?? [])].some((turn) => turn === underWay)
      return heard === undefined || isAsking ? 0 : now - heard
    },
    stalled: () => {
      heard = undefined
      connection.abort(SessionFailure.stalled(provider, config.idleTimeout))
    },
  }

  const responseOf = (answer: Answer): McpResponse => {
    const response: McpResponse = { provider, sessionId: id, ...answer }
    const cause = answer.isError && answer.cause === undefined ? causeOf?.(answer.content) : undefined
    return cause === undefined ? response : { ...response, cause }
  }

  const inOrder = (request: Prompt, attempt: Attempt) => {
    const { preparation } = attempt
    const begun = () =>
      preparation === undefined
        ? begin(attempt, (connection, turn) => connection.execute(request, turn))
        : Effect.flatMap(preparation.read, (run) => begin(attempt, run))
    const turn = () =>
      Effect.matchEffect(begun(), {
        onFailure: (error) => Effect.fail(placed(error)),
        onSuccess: (answer) => Exit.succeed(responseOf(checked(answer, preparation))),
      })
    const watch = idle.ready(limit)
    return inTurn(watch === undefined ? turn : () => Effect.flatMap(watch, turn), (exit) => end(attempt, exit))
  }

  const run: SessionTurns["run"] = (request, trace, began, preparation) => {
    const { deadline } = request
    const attempt: Attempt = { trace, began, preparation, turn: undefined, ended: undefined, due: undefined }
    if (deadline === undefined) return inOrder(request, attempt)
    attempt.due = clock.currentTimeMillisUnsafe() + Duration.toMillis(deadline)
    const delivery = (): McpDelivery => (attempt.turn === undefined ? "not-sent" : "unknown")
    return Effect.timeoutOrElse(inOrder(request, attempt), {
      duration: deadline,
      // A turn that ended in time, and waits for its readers, keeps its outcome.
      orElse: () => attempt.ended ?? Effect.fail(placed(SessionFailure.deadlineExceeded(deadline, delivery()))),
    })
  }
  const steer = (content: string): Effect.Effect<McpSteered, McpError> => {
    if (connection.steer === undefined) return Effect.fail(SessionFailure.noSteer(provider))
    if (underWay === undefined) return Effect.fail(SessionFailure.noTurn())
    steers ??= SteerQueue.make()
    if (steers.size() >= config.maxWaiting) return Effect.fail(SessionFailure.tooManySteers(id, config.maxWaiting))
    return Effect.mapError(steers.send(content, connection.steer(content)), placed)
  }
  return { run, steer, unused: () => steers?.take() ?? [] }
}

/** A value that no schema has asked for is not checked, so the response does not have it. */
const checked = (answer: Answer, preparation: Preparation | undefined): Answer => {
  if (preparation?.hasSchema || answer.structured === undefined) return answer
  const { structured: _, ...rest } = answer
  return rest
}

const turnOver = "The turn is over."
const unfit = ({ kind }: McpApproval.McpApprovalRequest): string =>
  kind === "question" ? QuestionAnswers.dismissed : "The approval policy answered a request that has no questions."
const withdrawn = "The request was withdrawn before a decision."

const outcome = (exit: Exit.Exit<McpResponse, McpError>, isLate: boolean): McpEventContent => {
  if (Exit.isSuccess(exit)) return { _tag: "TurnCompleted", isError: exit.value.isError }
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Fail") return { _tag: "TurnFailed", reason: reason.error.reason }
    if (reason._tag === "Die") return { _tag: "TurnFailed", reason: "defect" }
  }
  return { _tag: "TurnFailed", reason: isLate ? "deadline-exceeded" : "interrupted" }
}
