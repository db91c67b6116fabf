/**
 * The contract of `McpClient`: every case, and a way to run them without a test runner.
 *
 * @see seed, `McpClientContractSuite`; requirements 6.1 and 6.2
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { Bench, type CaseResult, type ContractCase } from "./ContractCase.ts"
import * as ContractScript from "./ContractScript.ts"
import * as ContractSubject from "./ContractSubject.ts"
import { approvals } from "./cases/Approvals.ts"
import { cancelling } from "./cases/Cancelling.ts"
import { closing } from "./cases/Closing.ts"
import { disposal } from "./cases/Disposal.ts"
import { events } from "./cases/Events.ts"
import { executing } from "./cases/Executing.ts"
import { inputBoundaries } from "./cases/InputBoundaries.ts"
import { limits } from "./cases/Limits.ts"
import { opening } from "./cases/Opening.ts"
import { ordering } from "./cases/Ordering.ts"
import { peerDeath } from "./cases/PeerDeath.ts"
import { sessionState } from "./cases/SessionState.ts"
import { telling } from "./cases/Telling.ts"
import { threads } from "./cases/Threads.ts"
import { turnFailures } from "./cases/TurnFailures.ts"
import { wholeSuite } from "./cases/WholeSuite.ts"
import type { PeerObservation } from "./PeerObservation.ts"
import * as Requirements from "./Requirements.ts"

const behaviours: ReadonlyArray<ContractCase> = [
  ...opening,
  ...executing,
  ...inputBoundaries,
  ...sessionState,
  ...ordering,
  ...cancelling,
  ...closing,
  ...limits,
  ...peerDeath,
  ...turnFailures,
  ...events,
  ...approvals,
  ...telling,
  ...threads,
  ...disposal,
]

/** Every case, in the order in which they run. */
export const cases: ReadonlyArray<ContractCase> = [...behaviours, wholeSuite(behaviours)]

/**
 * The ids of the cases whose outcome a transport can change. All others judge the client itself: where a faster agent is
 * held to the whole suite over the same transport, a slow one need not be.
 */
export const ofTransport: ReadonlyArray<string> = behaviours.flatMap(({ crossesWire, id }) => (crossesWire ? [id] : []))

/** What at least one case needs. */
export const needed: ReadonlySet<ContractSubject.Capability> = new Set(cases.flatMap(({ needs }) => needs ?? []))

/** `caseLimit`: the longest a case may take; a number is milliseconds. 2 minutes. It only ends what hangs. */
export interface Options {
  readonly caseLimit?: Duration.Input
}

/**
 * - `ok`: no problem, no failed case
 * - `problems`: what is wrong with the subject itself
 * - `results`: one for every case
 * - `unproven`: the requirements of this provider of which no case passed, as all of them were skipped or failed
 */
export interface Report {
  readonly subject: string
  readonly provider: string
  readonly ok: boolean
  readonly problems: ReadonlyArray<string>
  readonly results: ReadonlyArray<CaseResult>
  readonly unproven: ReadonlyArray<Requirements.RequirementId>
}

/** What is wrong with a subject before any case has run; nothing for a sound one. */
export const problems = (subject: ContractSubject.ContractSubject) => ContractSubject.problems(subject, needed)

/** Why a subject is excused from a case, in the subject's own words; `undefined` when it must pass it. */
export const excuse = (subject: ContractSubject.ContractSubject, { needs }: ContractCase): string | undefined => {
  for (const capability of needs ?? []) {
    const reason = subject.cannot?.[capability]
    if (reason !== undefined) return `cannot ${capability}: ${reason}`
  }
  return undefined
}

/**
 * Runs every case against a subject, one after the other, each on a client of its own.
 *
 * @param subject the client under test
 * @returns how each case ended; it never fails
 *
 * @example
 * ```ts
 * import { type ContractSubject, McpClientContractSuite } from "@zain/contract-tests"
 * import * as Effect from "effect/Effect"
 *
 * const print = (subject: ContractSubject.ContractSubject) =>
 *   Effect.map(McpClientContractSuite.check(subject), (report) => console.log(McpClientContractSuite.format(report)))
 * ```
 */
export const check = (subject: ContractSubject.ContractSubject, options: Options = {}): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const results: Array<CaseResult> = []
    for (const contractCase of cases) results.push(yield* runCase(subject, contractCase, results, options))
    const found = problems(subject)
    const proven = new Set(results.filter(({ status }) => status === "passed").flatMap(({ verifies }) => verifies))
    return {
      subject: subject.name,
      provider: subject.provider,
      ok: found.length === 0 && results.every(({ status }) => status !== "failed"),
      problems: found,
      results,
      unproven: Requirements.of(subject.provider).filter((id) => !proven.has(id)),
    }
  })

/** A report for people: what is wrong, what was skipped and why, and the sum. */
export const format = ({ problems, results, subject, unproven }: Report): string => {
  const of = (status: CaseResult["status"]) => results.filter((result) => result.status === status)
  return [
    ...problems.map((problem) => `subject  ${problem}`),
    ...of("failed").map(({ id, reason, title }) => `failed   ${id}: ${title}\n         ${reason}`),
    ...of("skipped").map(({ id, reason }) => `skipped  ${id}: ${reason}`),
    ...unproven.map((id) => `unproven ${id}: ${Requirements.get(id).behaviour}`),
    `${subject}: ${of("passed").length} passed, ${of("failed").length} failed, ${of("skipped").length} skipped`,
  ].join("\n")
}

/**
 * Runs one case on a fresh client. A case that does not end is given up, even when it cannot be interrupted.
 *
 * @param earlier how the cases before it ended
 */
export const runCase = (
  subject: ContractSubject.ContractSubject,
  contractCase: ContractCase,
  earlier: ReadonlyArray<CaseResult>,
  { caseLimit = "2 minutes" }: Options = {},
): Effect.Effect<CaseResult> =>
  Effect.gen(function* () {
    const { id, title, verifies } = contractCase
    const excused = excuse(subject, contractCase)
    if (excused !== undefined) return { id, title, verifies, status: "skipped", reason: excused, millis: 0 }
    const begun = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkDetach(Effect.scoped(onBench(subject, contractCase, [...earlier])))
    const exit = yield* Effect.onInterrupt(Effect.timeoutOption(Fiber.await(fiber), caseLimit), () =>
      Effect.sync(() => fiber.interruptUnsafe()),
    )
    if (Option.isNone(exit)) fiber.interruptUnsafe()
    const millis = (yield* Clock.currentTimeMillis) - begun
    const reason = Option.match(exit, {
      onNone: () => `It did not end within ${Duration.format(Duration.fromInputUnsafe(caseLimit))}.`,
      onSome: reasonOf,
    })
    return reason === undefined
      ? { id, title, verifies, status: "passed", millis }
      : { id, title, verifies, status: "failed", reason, millis }
  })

const onBench = (subject: ContractSubject.ContractSubject, { run }: ContractCase, earlier: ReadonlyArray<CaseResult>) =>
  Effect.flatMap(subject.make, (client) =>
    Effect.provideService(run, Bench, {
      subject,
      client,
      open: client.openSession(subject.config),
      prompt: (directive) => {
        const key = nextKey()
        return { key, content: ContractScript.prompt(directive, key) }
      },
      peer: { ...blind, ...subject.peer },
      earlier,
    }),
  )

const reasonOf = (exit: Exit.Exit<void, unknown>): string | undefined => {
  if (exit._tag === "Success") return undefined
  const [reason] = exit.cause.reasons
  const error = reason?._tag === "Fail" ? reason.error : undefined
  return error instanceof Error ? `${error.message} (${error.name})` : Cause.pretty(exit.cause)
}

/** Stands in for what a subject cannot observe. Cases say what they need, so none of these is ever run. */
const unseen = Effect.die(new Error("The case observes what it does not say that it needs."))
const blind: Required<PeerObservation> = {
  received: () => unseen,
  count: () => unseen,
  cancelled: () => unseen,
  leftovers: unseen,
}

const runPrefix = crypto.randomUUID().slice(0, 8)
let keysMade = 0

/** No key is part of another, as all are of one length. */
const nextKey = () => `${runPrefix}-${String(++keysMade).padStart(6, "0")}`
