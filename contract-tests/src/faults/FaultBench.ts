/**
 * Tries faults one after the other, and looks at what each leaves in this process and on this machine.
 */
import type { McpTransport } from "@zain/core/McpTransport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { type Fault, usual } from "./Fault.ts"
import * as FaultPeer from "./FaultPeer.ts"
import type { FaultSubject } from "./FaultSubject.ts"
import * as FaultTrial from "./FaultTrial.ts"
import * as Leftovers from "./Leftovers.ts"
import * as Pace from "./Pace.ts"
import { healthy } from "./ResultFaults.ts"
import * as Strain from "./Strain.ts"

/**
 * How a client met a fault on one transport.
 *
 * - `outcome`: what happened, in few words
 * - `problems`: what was due and did not happen; for `excused` the reason
 * - `millis`: how long the operation that was struck took
 * - `latency`: the longest that a session beside it waited for an answer, in milliseconds
 * - `stall`: the longest that the event loop stood still, in milliseconds; on Linux without the time for which the system
 *   gave the processor to others
 * - `growth`: of memory meanwhile, in bytes
 */
export interface FaultResult {
  readonly id: string
  readonly title: string
  readonly transport: McpTransport
  readonly promises: ReadonlyArray<number>
  readonly status: "passed" | "failed" | "excused"
  readonly outcome: string
  readonly problems: ReadonlyArray<string>
  readonly millis: number
  readonly latency: number
  readonly stall: number
  readonly growth: number
}

/** `run`: tries one fault. It never fails. */
export interface FaultBench {
  readonly run: (fault: Fault) => Effect.Effect<FaultResult>
}

const mebibyte = 1024 * 1024

/** The longest that anything may take, in milliseconds by the pace. It only ends what hangs. */
const trialLimit = 30_000

/** How long the event loop may stand still, in milliseconds. Far above what is promised, as machines differ. */
const stallLimit = (maxMessageBytes: number) => (maxMessageBytes > 32 * mebibyte ? 10_000 : 1_000)

/** How far memory may grow. A message is there as bytes, as text and as a value, and garbage is not collected at once. */
const growthLimit = (maxMessageBytes: number) => 128 * mebibyte + 6 * maxMessageBytes

/**
 * A bench for one transport.
 *
 * @param subject the client under test
 * @param cold whether to leave out the trial run that loads what is loaded once
 */
export const make = (
  subject: FaultSubject,
  transport: McpTransport,
  cold = false,
): Effect.Effect<FaultBench, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pace = yield* Pace.make
    const peer = yield* FaultPeer.make(subject, transport)
    yield* ownTemporaryDirectory
    const bench: FaultBench = { run: (fault) => run(fault, { subject, transport, peer, pace }) }
    if (!cold) yield* bench.run(healthy)
    return bench
  })

/** Temporary files of others must not be taken for the client's. */
const ownTemporaryDirectory = Effect.gen(function* () {
  const path = yield* FaultPeer.directory
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = path
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["TMPDIR"]
        else process.env["TMPDIR"] = before
      }),
  )
})

const run = (fault: Fault, place: FaultTrial.Place): Effect.Effect<FaultResult> =>
  Effect.gen(function* () {
    const { id, promises, title } = fault
    const about = { id, title, promises, transport: place.transport }
    const excuse = place.subject.cannot?.[id]
    const nothing = { outcome: "excused", millis: 0, latency: 0, stall: 0, growth: 0 }
    if (excuse !== undefined) return { ...about, ...nothing, status: "excused", problems: [excuse] }
    const record: FaultTrial.Record = { problems: [], outcomes: [], millis: 0, latency: 0, waited: 0 }
    const strain: { seen: Strain.Strain } = { seen: { stall: 0, growth: 0, escaped: [] } }
    yield* Effect.scoped(
      Effect.gen(function* () {
        const soFar = yield* Strain.measure
        yield* givenUp(watched(fault, place, record), place, record)
        strain.seen = yield* soFar
      }),
    )
    const { escaped, growth, stall } = strain.seen
    const { maxMessageBytes } = { ...usual, ...fault.limits }
    const problems = [...new Set(record.problems), ...escaped.map((what) => `Something escaped: ${what}`)]
    if (stall > stallLimit(maxMessageBytes)) problems.push(`The event loop stood still for ${stall} ms.`)
    if (growth > growthLimit(maxMessageBytes)) problems.push(`Memory grew by ${Math.round(growth / mebibyte)} MiB.`)
    if ("polluted" in {}) problems.push("The prototype of all objects is polluted.")
    const { latency, millis } = record
    const outcome = [...new Set(record.outcomes)].join("; then ")
    const status = problems.length === 0 ? "passed" : "failed"
    return { ...about, status, outcome, problems, millis, latency, stall, growth }
  })

/** A trial, and a look at what there is after its client that was not there before. */
const watched = (fault: Fault, place: FaultTrial.Place, record: FaultTrial.Record) =>
  Effect.gen(function* () {
    const expectation = fault.expected[place.transport]
    if (expectation === undefined) {
      record.problems.push(`This fault does not exist over ${place.transport}.`)
      return
    }
    yield* place.peer.forget
    // The timer of the test runner has started by now, and counts as before.
    yield* Effect.sleep(1)
    const left = yield* Leftovers.compare(place.pace)
    const exit = yield* Effect.exit(Effect.scoped(FaultTrial.run(fault, expectation, place, record)))
    if (Exit.isFailure(exit)) record.problems.push(`The trial itself ended with ${Cause.pretty(exit.cause)}`)
    const remains = [...(yield* Leftovers.settled(place.peer.leftovers, place.pace)), ...(yield* left)]
    if (remains.length > 0) record.problems.push(`After the client there are: ${remains.join(", ")}.`)
  })

/** Runs what may hang in a way that cannot be interrupted. */
const givenUp = (trial: Effect.Effect<void>, { pace }: FaultTrial.Place, record: FaultTrial.Record) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(trial)
    const stop = Effect.sync(() => fiber.interruptUnsafe())
    const exit = yield* Effect.onInterrupt(pace.within(trialLimit, Fiber.await(fiber)), () => stop)
    if (Option.isSome(exit)) return
    record.problems.push(`It did not end within ${trialLimit} ms.`)
    yield* stop
  })
