/**
 * Runs faults one after the other, and compares this process and this machine before and after each.
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

/** How a client behaved with one fault on one transport. */
export interface FaultResult {
  /** The `id` of the fault in `McpClientFaultSuite.faults`. */
  readonly id: string
  /** What the server did, as a clause that follows "a server that". */
  readonly title: string
  /** The transport over which the server misbehaved; a fault has one result for each transport on which it ran. */
  readonly transport: McpTransport
  /**
   * The numbers of the library's guarantees that the fault tests, as docs/internals/promises.md of Zain's repository
   * lists them.
   */
  readonly promises: ReadonlyArray<number>
  /** `excused`: the subject's `cannot` names the fault, which did not run. */
  readonly status: "passed" | "failed" | "excused"
  /** How the session and its calls ended, in a few words. */
  readonly outcome: string
  /** Each demand that was not met; for `excused` the subject's reason. */
  readonly problems: ReadonlyArray<string>
  /** How long the operation took in which the fault happened, in milliseconds. */
  readonly millis: number
  /** The longest wait for an answer in a second, healthy session that ran at the same time, in milliseconds. */
  readonly latency: number
  /** The longest block of the event loop in milliseconds; on Linux without the time that other processes had the processor. */
  readonly stall: number
  /** How much the memory of this process grew while the fault ran, in bytes. */
  readonly growth: number
}

/** A bench for one subject on one transport. */
export interface FaultBench {
  /** Runs one fault. It never fails: the result holds the problems. */
  readonly run: (fault: Fault) => Effect.Effect<FaultResult>
}

const mebibyte = 1024 * 1024

/** The longest that a trial may take, in milliseconds on an idle machine. It ends only what hangs. */
const trialTimeoutMillis = 30_000

/** How long the event loop may block, in milliseconds: far above the 200 ms that are promised, as machines differ. */
const maxStallMillis = (maxMessageBytes: number) => (maxMessageBytes > 32 * mebibyte ? 10_000 : 1_000)

/** How far memory may grow: a message exists as bytes, text and value, and garbage is collected later. */
const maxGrowthBytes = (maxMessageBytes: number) => 128 * mebibyte + 6 * maxMessageBytes

/**
 * Makes a bench for one transport. It ends with the Scope.
 *
 * @param subject the client under test
 * @param transport one of the subject's
 * @param cold whether to omit the healthy trial run, which loads modules before the first fault; `false` by default
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

/** Temporary files of other programs must not count as the client's. */
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
    const record: FaultTrial.Record = { problems: [], outcomes: [], millis: 0, latency: 0, rounds: 0 }
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
    const problems = [...new Set(record.problems), ...escaped.map((what) => `Escaped: ${what}`)]
    if (stall > maxStallMillis(maxMessageBytes)) problems.push(`The event loop was blocked for ${stall} ms.`)
    if (growth > maxGrowthBytes(maxMessageBytes)) problems.push(`Memory grew by ${Math.round(growth / mebibyte)} MiB.`)
    if ("polluted" in {}) problems.push("The prototype of all objects is polluted.")
    const { latency, millis } = record
    const outcome = [...new Set(record.outcomes)].join("; then ")
    const status = problems.length === 0 ? "passed" : "failed"
    return { ...about, status, outcome, problems, millis, latency, stall, growth }
  })

/** A trial, and the resources that exist after its client but not before. */
const watched = (fault: Fault, place: FaultTrial.Place, record: FaultTrial.Record) =>
  Effect.gen(function* () {
    const expectation = fault.expected[place.transport]
    if (expectation === undefined) {
      record.problems.push(`This fault does not exist over ${place.transport}.`)
      return
    }
    yield* place.peer.forget
    // Lets the test runner start its timer, so that it counts as one from before.
    yield* Effect.sleep(1)
    const left = yield* Leftovers.compare(place.pace)
    const exit = yield* Effect.exit(Effect.scoped(FaultTrial.run(fault, expectation, place, record)))
    if (Exit.isFailure(exit)) record.problems.push(`The trial itself ended with ${Cause.pretty(exit.cause)}`)
    const remains = [...(yield* Leftovers.settled(place.peer.leftovers, place.pace)), ...(yield* left)]
    if (remains.length > 0) record.problems.push(`Not released after the client: ${remains.join(", ")}.`)
  })

/** Runs a trial that may hang and may not be interruptible. */
const givenUp = (trial: Effect.Effect<void>, { pace }: FaultTrial.Place, record: FaultTrial.Record) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(trial)
    const stop = Effect.sync(() => fiber.interruptUnsafe())
    const exit = yield* Effect.onInterrupt(pace.within(trialTimeoutMillis, Fiber.await(fiber)), () => stop)
    if (Option.isSome(exit)) return
    record.problems.push(`It did not end within ${trialTimeoutMillis} ms.`)
    yield* stop
  })
