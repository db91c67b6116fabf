/**
 * The contract suite of `McpClient`: every case, and `check`, which runs them without a test runner.
 *
 * @see seed, `McpClientContractSuite`; requirements 6.1 and 6.2
 */
import * as McpError from "@zain/core/McpError"
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
import { attaching } from "./cases/Attaching.ts"
import { background } from "./cases/Background.ts"
import { cancelling } from "./cases/Cancelling.ts"
import { closing } from "./cases/Closing.ts"
import { disposal } from "./cases/Disposal.ts"
import { events } from "./cases/Events.ts"
import { executing } from "./cases/Executing.ts"
import { inputBoundaries } from "./cases/InputBoundaries.ts"
import { limits } from "./cases/Limits.ts"
import { opening } from "./cases/Opening.ts"
import { ordering } from "./cases/Ordering.ts"
import { ownTools } from "./cases/OwnToolCases.ts"
import { peerDeath } from "./cases/PeerDeath.ts"
import { questions } from "./cases/Questions.ts"
import { sessionState } from "./cases/SessionState.ts"
import { steering } from "./cases/Steering.ts"
import { stored } from "./cases/StoredThreadCases.ts"
import { streaming } from "./cases/Streaming.ts"
import { structured } from "./cases/Structured.ts"
import { telling } from "./cases/Telling.ts"
import { threads } from "./cases/Threads.ts"
import { turnFailures } from "./cases/TurnFailures.ts"
import { turnOptions } from "./cases/TurnOptions.ts"
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
  ...streaming,
  ...structured,
  ...attaching,
  ...turnOptions,
  ...steering,
  ...ownTools,
  ...stored,
  ...approvals,
  ...questions,
  ...background,
  ...telling,
  ...threads,
  ...disposal,
]

/** Every case, in the order in which they run. */
export const cases: ReadonlyArray<ContractCase> = [...behaviours, wholeSuite(behaviours)]

/**
 * The ids of the cases whose outcome a transport can change. The others test the client itself: if a fast agent passes the
 * whole suite over a transport, a slow one needs only these.
 */
export const ofTransport: ReadonlyArray<string> = behaviours.flatMap(({ crossesWire, id }) => (crossesWire ? [id] : []))

/** The capabilities that at least one case needs. */
export const needed: ReadonlySet<ContractSubject.Capability> = new Set(cases.flatMap(({ needs }) => needs ?? []))

/** The time limit of a case. */
export interface Options {
  /** The longest that a case may take; 2 minutes by default, a number is milliseconds. It ends only what hangs. */
  readonly caseTimeout?: Duration.Input
}

/** The results of one subject in the whole suite. */
export interface Report {
  /** The `name` of the subject that ran. */
  readonly subject: string
  /** The `provider` of the subject that ran, such as `codex`. */
  readonly provider: string
  /** Whether `problems` is empty and no case failed; skipped cases do not count. */
  readonly ok: boolean
  /** What is wrong with the subject itself, one line each; empty for a sound one. */
  readonly problems: ReadonlyArray<string>
  /** One result for every case, in the order of `cases`. */
  readonly results: ReadonlyArray<CaseResult>
  /** The requirements of this provider of which a case was skipped or failed. */
  readonly unproven: ReadonlyArray<Requirements.RequirementId>
}

/**
 * Checks a subject before any case runs: a capability is missing without a reason, or an excuse contradicts a field of
 * the subject or is for no case.
 *
 * @param subject the client under test
 * @returns one line for each problem; none for a sound subject
 */
export const problems = (subject: ContractSubject.ContractSubject) => ContractSubject.problems(subject, needed)

/**
 * Returns the subject's reason for skipping a case, or `undefined` if the subject must pass it.
 *
 * @param subject the client under test
 * @param contractCase one of `cases`; only its `needs` are read
 */
export const excuse = (subject: ContractSubject.ContractSubject, { needs }: ContractCase): string | undefined => {
  for (const capability of needs ?? []) {
    const reason = subject.cannot?.[capability]
    if (reason !== undefined) return `cannot ${capability}: ${reason}`
  }
  return undefined
}

/**
 * Runs every case against a subject, one after the other, each on a client of its own. It never fails: the report holds
 * what did.
 *
 * @param subject the client under test
 * @param options `caseTimeout`: the longest that a case may take; 2 minutes by default
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
    const open = new Set(results.filter(({ status }) => status !== "passed").flatMap(({ verifies }) => verifies))
    return {
      subject: subject.name,
      provider: subject.provider,
      ok: found.length === 0 && results.every(({ status }) => status !== "failed"),
      problems: found,
      results,
      unproven: Requirements.of(subject.provider).filter((id) => open.has(id)),
    }
  })

/**
 * Formats a report as text: what is wrong with the subject, failed and skipped cases, unproven requirements, then the
 * numbers of passed, failed and skipped cases.
 *
 * @param report the report of `check`
 */
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
 * Runs one case on a fresh client. A case over the limit counts as failed, even if it cannot be interrupted.
 *
 * @param subject the client under test
 * @param contractCase one of `cases`
 * @param earlier the results of the cases before it, which the last case reads
 * @param options `caseTimeout`: the longest that the case may take; 2 minutes by default
 */
export const runCase = (
  subject: ContractSubject.ContractSubject,
  contractCase: ContractCase,
  earlier: ReadonlyArray<CaseResult>,
  { caseTimeout = "2 minutes" }: Options = {},
): Effect.Effect<CaseResult> =>
  Effect.gen(function* () {
    const { id, needs = [], title, verifies } = contractCase
    const excused = excuse(subject, contractCase)
    if (excused !== undefined) return { id, title, verifies, status: "skipped", reason: excused, millis: 0 }
    const missing = ContractSubject.missing(subject, needs)
    if (missing.length > 0) {
      return { id, title, verifies, status: "failed", reason: missing.join(" "), millis: 0 }
    }
    const begun = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkDetach(Effect.scoped(onBench(subject, contractCase, [...earlier])))
    const exit = yield* Effect.onInterrupt(Effect.timeoutOption(Fiber.await(fiber), caseTimeout), () =>
      Effect.sync(() => fiber.interruptUnsafe()),
    )
    if (Option.isNone(exit)) fiber.interruptUnsafe()
    const millis = (yield* Clock.currentTimeMillis) - begun
    const remedy = ContractSubject.remedy(subject, unshown(needs, earlier))
    const reason = Option.match(exit, {
      onNone: () => `It did not end within ${Duration.format(Duration.fromInputUnsafe(caseTimeout))}.${remedy}`,
      onSome: (exit) => reasonOf(exit, remedy),
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

/** Returns the capabilities that no case before has shown. */
const unshown = (needs: ReadonlyArray<ContractSubject.Capability>, earlier: ReadonlyArray<CaseResult>) => {
  const passed = new Set(earlier.flatMap(({ id, status }) => (status === "passed" ? [id] : [])))
  const shown = new Set(cases.flatMap((one) => (passed.has(one.id) ? (one.needs ?? []) : [])))
  return needs.filter((capability) => !shown.has(capability))
}

/** Reasons that show a mistake of the adapter, whatever the agent can do. */
const neverExcused: ReadonlySet<string> = new Set(["conversation-lost", "protocol-violation"])

const reasonOf = (exit: Exit.Exit<void, unknown>, remedy: string): string | undefined => {
  if (exit._tag === "Success") return undefined
  const [reason] = exit.cause.reasons
  const error = reason?._tag === "Fail" ? reason.error : undefined
  if (!(error instanceof Error)) return Cause.pretty(exit.cause) + remedy
  const isMistake = McpError.isMcpError(error) && neverExcused.has(error.reason)
  return `${error.message} (${error.name})${isMistake ? "" : remedy}`
}

/** Replaces what a subject cannot observe. A case names what it observes in `needs`, so none of these ever runs. */
const unseen = Effect.die(new Error("The case observes something that its `needs` does not name."))
const blind: Required<PeerObservation> = {
  received: () => unseen,
  count: () => unseen,
  cancelled: () => unseen,
  leftovers: unseen,
}

const runPrefix = crypto.randomUUID().slice(0, 8)
let keysMade = 0

/** All keys have one length, so that no key is part of another. */
const nextKey = () => `${runPrefix}-${String(++keysMade).padStart(6, "0")}`
