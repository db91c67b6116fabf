/**
 * Runs one fault on one client, beside a session of the same client that must stay unharmed.
 */
import { randomUUID } from "node:crypto"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpSessionId } from "@zain/core/McpSessionId"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CallOutcome, type Expectation, type Fault, type Limits, type Next, usual } from "./Fault.ts"
import { type FaultPeer, sibling } from "./FaultPeer.ts"
import type { FaultSubject } from "./FaultSubject.ts"
import * as Leftovers from "./Leftovers.ts"
import type { Pace } from "./Pace.ts"
import { strikeMark } from "./peer/Behaviour.ts"
import * as SlowReader from "./SlowReader.ts"
import * as Verdict from "./Verdict.ts"

/** The client, the server and the pace of a trial. */
export interface Place {
  readonly subject: FaultSubject
  readonly transport: McpTransport
  readonly peer: FaultPeer
  readonly pace: Pace
}

/**
 * What a trial observed. It is filled while the trial runs, so that one that hangs keeps what it had.
 *
 * - `outcomes`: how each step ended
 * - `millis`: the duration of the struck step
 * - `latency`: the longest wait of the sibling in milliseconds; `rounds`: the same in answers that its server gave others
 */
export interface Record {
  readonly problems: Array<string>
  readonly outcomes: Array<string>
  millis: number
  latency: number
  rounds: number
}

/** Added to every limit, in milliseconds on an idle machine. It ends only what hangs. */
const slack = 3_000

/** How many answers the sibling's server may give others, one after the other, before it answers the sibling. */
const maxSiblingAnswers = 20

const struck = () => `${strikeMark} ${randomUUID()}`
const harmless = () => `zain-harmless ${randomUUID()}`

/** Runs a fault on a fresh client, which ends with this effect's Scope. */
export const run = Effect.fnUntraced(function* (fault: Fault, expectation: Expectation, place: Place, record: Record) {
  const { pace, peer, subject } = place
  const { outcomes, problems } = record
  const client = yield* subject.make
  const limits = slowed({ ...usual, ...fault.limits }, pace)
  const about = { provider: subject.provider, secret: peer.secret }

  const accept = (step: string, { outcome, problems: found }: Verdict.Verdict) => {
    outcomes.push(outcome)
    problems.push(...found.map((problem) => `${step}: ${problem}`))
  }
  const timed = Effect.fnUntraced(function* <A, E>(step: string, limit: number, operation: Effect.Effect<A, E>) {
    const begun = performance.now()
    const ended = yield* pace.within(limit, Effect.exit(operation))
    const millis = Math.round(performance.now() - begun)
    if (Option.isNone(ended)) problems.push(`${step}: it did not end within ${limit} ms.`)
    const exit: Exit.Exit<A, unknown> = Option.getOrElse(ended, () => Exit.fail(Verdict.unended))
    return [exit, millis] as const
  })
  const say = Effect.fnUntraced(function* (
    step: string,
    session: McpSessionId,
    content: string,
    due: ReadonlyArray<CallOutcome>,
    limit: number,
    deadline?: number,
  ) {
    const request = deadline === undefined ? { content } : { content, deadline: Duration.millis(deadline) }
    const [exit, millis] = yield* timed(step, limit, client.execute(session, request))
    accept(step, Verdict.judge(exit, due, about))
    return [exit, millis] as const
  })

  const stopAsking = yield* besides(client, place, record)
  const limit = slack + (fault.takes ?? 0) + (fault.endsBy === undefined ? 0 : (limits[fault.endsBy] ?? 0))
  const opening = client.openSession(configOf(fault.id, limits, place))
  const [opened, openMillis] = yield* timed("open", limit, opening)
  record.millis = openMillis
  if ("opening" in expectation) {
    accept("open", Verdict.judge(opened, [expectation.opening], about))
    if (Exit.isSuccess(opened)) yield* Effect.exit(client.closeSession(opened.value))
  } else if (Exit.isFailure(opened)) {
    accept("open", Verdict.judge(opened, ["answers"], about))
  } else {
    const session = opened.value
    const turns = yield* countTurns(client, session, problems)
    const unread = fault.unread === true ? yield* SlowReader.make(client, session) : Effect.succeed(0)
    if (fault.strikes !== "handshake") yield* say("first call", session, harmless(), ["answers"], slack)
    outcomes.splice(0)
    const content = struck().padEnd(fault.promptBytes ?? 0, " and on")
    const [exit, callMillis] = yield* say("struck call", session, content, expectation.call, limit, limits.deadline)
    if (fault.strikes === "call" || fault.promptBytes !== undefined) record.millis = callMillis
    if (fault.settles === true) yield* gone(fault, place)
    yield* goOn(client, expectation.next, (due) => say("next call", session, harmless(), due, limit))
    if (fault.mustCancel === true) yield* hungUp(fault, place, problems)
    if (fault.strikes === "handshake") outcomes.splice(1)
    const closeTimeout = limits.closeGrace + 1_000 + slack / 2
    const [closed, closeMillis] = yield* timed("close", closeTimeout, client.closeSession(session))
    if (Exit.isFailure(closed)) accept("close", Verdict.judge(closed, ["answers"], about))
    if (fault.strikes === "close") record.millis = closeMillis
    turns.interruptUnsafe()
    const { maxEventBytes = 0 } = limits
    const waited = yield* unread
    if (waited > maxEventBytes) problems.push(`${waited} characters of events waited for a reader that does not read.`)
    const { calls } = yield* peer.seen(fault.id)
    const arrived = calls.filter((call) => call.includes(content)).length
    const mustArrive = Exit.isSuccess(exit)
    if (arrived > 1 || (mustArrive && arrived === 0)) problems.push(`The prompt arrived ${arrived} times.`)
  }
  yield* leftBehind(fault, place, problems)
  yield* stopAsking
})

/** Extends limits on a slow machine, so that what must happen before them still does. */
const slowed = (limits: Partial<Limits> & typeof usual, pace: Pace) => {
  const times = (millis: number) => Math.ceil(millis * pace.slowness())
  const { closeGrace, connectTimeout, deadline, idleTimeout } = limits
  return {
    ...limits,
    connectTimeout: times(connectTimeout),
    idleTimeout: times(idleTimeout),
    closeGrace: times(closeGrace),
    ...(deadline === undefined ? {} : { deadline: times(deadline) }),
  }
}

const configOf = (fault: string, limits: Partial<Limits>, { peer, subject }: Place): McpConnectionConfig => {
  const { deadline: _, ...rest } = limits
  return { ...subject.config(peer.place(fault)), ...rest }
}

/** Opens a session that sends prompts until the returned effect runs, which sends one more and closes it. */
const besides = Effect.fnUntraced(function* (client: McpClientAdapter, place: Place, record: Record) {
  const { problems } = record
  const about = { provider: place.subject.provider, secret: place.peer.secret }
  const session = yield* Effect.exit(client.openSession(configOf(sibling, usual, place)))
  if (Exit.isFailure(session)) {
    problems.push("The sibling could not be opened.", ...Verdict.judge(session, ["answers"], about).problems)
    return Effect.void
  }
  const ask = Effect.gen(function* () {
    const begun = performance.now()
    let rounds = 0
    const others = Effect.forever(
      Effect.map(place.peer.answered ?? place.pace.beaten, () => {
        rounds++
      }),
    )
    const asked = client.execute(session.value, { content: harmless() })
    const exit = yield* Effect.exit(Effect.raceFirst(asked, others))
    record.latency = Math.max(record.latency, Math.round(performance.now() - begun))
    record.rounds = Math.max(record.rounds, rounds)
    for (const problem of Verdict.judge(exit, ["answers"], about).problems) problems.push(`sibling: ${problem}`)
  })
  yield* ask
  record.latency = 0
  record.rounds = 0
  let over = false
  const asking = Effect.gen(function* () {
    while (!over && problems.length < 10) {
      yield* ask
      yield* Effect.sleep(15)
    }
  })
  const fiber = yield* Effect.forkChild(asking)
  return Effect.gen(function* () {
    over = true
    yield* Fiber.await(fiber)
    yield* ask
    if (record.rounds > maxSiblingAnswers)
      problems.push(`sibling: an answer came after ${record.rounds} others of its server.`)
    const closed = yield* Effect.exit(client.closeSession(session.value))
    if (Exit.isFailure(closed)) problems.push("sibling: closeSession failed.")
  })
})

/** Runs the next execute, judged by the client's `supports`. */
const goOn = <E, R>(
  client: McpClientAdapter,
  next: Next,
  say: (due: ReadonlyArray<CallOutcome>) => Effect.Effect<unknown, E, R>,
) => {
  const { cancelKeepsConversation, failureKeepsConversation } = client.supports
  const lost: CallOutcome = { reasons: ["conversation-lost"], delivery: "not-sent" }
  const due = (): ReadonlyArray<CallOutcome> => {
    if (next === "answers") return ["answers"]
    if (next === "answers-or-lost") return ["answers", lost]
    if (next === "as-after-cancel") return cancelKeepsConversation ? ["answers"] : [lost]
    if (next === "as-after-failure") return failureKeepsConversation ? ["answers"] : [lost]
    return next === "anything" ? [] : [next]
  }
  return next === "anything" ? Effect.void : say(due())
}

/** Reads a session's events, and demands that no turn ends twice. */
const countTurns = (client: McpClientAdapter, session: McpSessionId, problems: Array<string>) => {
  const ended = new Set<number>()
  const read = Stream.runForEach(client.events(session), ({ _tag, turn }) =>
    Effect.sync(() => {
      if (_tag !== "TurnCompleted" && _tag !== "TurnFailed") return
      if (ended.has(turn)) problems.push(`Turn ${turn} ended twice.`)
      ended.add(turn)
    }),
  )
  return Effect.forkChild(Effect.exit(read), { startImmediately: true })
}

const aliveOf = (fault: Fault, { peer }: Place) => Effect.map(peer.seen(fault.id), ({ alive }) => alive)

/** Waits until the server of a fault has ended. */
const gone = (fault: Fault, place: Place) => Leftovers.settled(aliveOf(fault, place), place.pace)

/** Demands that the client has closed the request of a cancelled call, while its session continues. */
const hungUp = Effect.fnUntraced(function* (fault: Fault, { pace, peer }: Place, problems: Array<string>) {
  const look = Effect.map(peer.seen(fault.id), ({ underWay }) => (underWay === 0 ? [] : [`${underWay} calls`]))
  const left = yield* Leftovers.settled(look, pace)
  if (left.length > 0) problems.push(`Not ended after the call: ${left.join(", ")}.`)
})

/** Demands that nothing of the fault's session remains, and that its server reports no violation. */
const leftBehind = Effect.fnUntraced(function* (fault: Fault, place: Place, problems: Array<string>) {
  const look = aliveOf(fault, place)
  const left = fault.keepsSession === true ? [] : yield* place.peer.isExact ? look : Leftovers.settled(look, place.pace)
  if (left.length > 0) problems.push(`Not released after the session: ${left.join(", ")}.`)
  const { cancels, complaints, resumes } = yield* place.peer.seen(fault.id)
  if (fault.mustCancel === true && cancels !== 1) problems.push(`The server received ${cancels} cancels; expected one.`)
  problems.push(...[...new Set(complaints)].map((complaint) => `The server reports: ${complaint}`))
  if (fault.resumes === undefined) return
  if (resumes.length !== fault.resumes) {
    problems.push(`Expected ${fault.resumes} resumptions, but there were ${resumes.length}.`)
  }
  // A timer may fire up to 10 ms early by the clock of another process.
  if (resumes.some((apart) => apart < 90)) problems.push(`Resumptions came ${resumes.join(" and ")} ms apart.`)
})
