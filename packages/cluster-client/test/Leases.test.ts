import { test } from "@zain/testkit/Test"
import * as Clock from "effect/Clock"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import * as Leases from "../src/Leases.ts"

const address = RunnerAddress.make("127.0.0.1", 1)
const shards = [1, 2, 3].map((id) => ShardId.make("default", id))
const away = Effect.fail(new PersistenceError({ cause: "away" }))

/** A storage of which the next refreshes are given, with a grace of 15 seconds. */
const make = Effect.gen(function* () {
  const memory = yield* RunnerStorage.makeMemory
  const next: { refresh: ReturnType<typeof memory.refresh> } = { refresh: Effect.succeed(shards) }
  const fake = { ...memory, refresh: () => Effect.suspend(() => next.refresh) }
  const { acquire, refresh } = yield* Leases.outlast(Duration.seconds(15))(fake)
  /** The shards that the runner keeps, or `lost` if it must give up all. */
  const kept = (asked: ReadonlyArray<ShardId.ShardId> = shards) =>
    Effect.map(Effect.exit(refresh(address, asked)), (exit) =>
      exit._tag === "Success" ? exit.value.map(({ id }) => id) : "lost",
    )
  return { acquire: (asked: ReadonlyArray<ShardId.ShardId>) => acquire(address, asked), kept, next }
})

test("a runner keeps its shards until the grace after its last refresh is over", function* () {
  const { kept, next } = yield* make
  expect(yield* kept()).toEqual([1, 2, 3])
  next.refresh = away
  yield* TestClock.adjust("14999 millis")
  expect(yield* kept()).toEqual([1, 2, 3])
  yield* TestClock.adjust("1 millis")
  expect(yield* kept()).toBe("lost")
  next.refresh = Effect.succeed(shards)
  expect(yield* kept()).toEqual([1, 2, 3])
})

test("the grace counts from the start of a refresh, since the row may be written at once and the answer come late", function* () {
  const { kept, next } = yield* make
  next.refresh = Effect.delay(Effect.succeed(shards), "2 seconds")
  const slow = yield* Effect.forkChild(kept(), { startImmediately: true })
  yield* TestClock.adjust("2 seconds")
  expect(yield* Fiber.join(slow)).toEqual([1, 2, 3])
  next.refresh = away
  yield* TestClock.adjust("13 seconds")
  expect(yield* kept()).toBe("lost")
})

test("a refresh without an answer is decided before the engine stops waiting for it", function* () {
  const { kept, next } = yield* make
  yield* kept()
  next.refresh = Effect.never
  const decided = yield* Effect.forkChild(kept(), { startImmediately: true })
  yield* TestClock.adjust(Duration.divideUnsafe(Leases.refreshInterval, 2))
  expect(yield* Fiber.join(decided)).toEqual([1, 2, 3])
})

test("each shard has its own lease, which begins when it is acquired", function* () {
  const { acquire, kept, next } = yield* make
  yield* kept()
  yield* TestClock.adjust("10 seconds")
  next.refresh = Effect.succeed(shards.slice(1, 2))
  yield* kept(shards.slice(1, 2))
  yield* acquire(shards.slice(2))
  next.refresh = away
  yield* TestClock.adjust("10 seconds")
  expect(yield* kept()).toEqual([2, 3])
})

test("a shard that was never held, and one that a refresh did not return, are not kept", function* () {
  const { kept, next } = yield* make
  next.refresh = away
  expect(yield* kept()).toBe("lost")
  next.refresh = Effect.succeed(shards.slice(1))
  expect(yield* kept()).toEqual([2, 3])
  next.refresh = away
  expect(yield* kept()).toEqual([2, 3])
})

/** The clock, one of its two readings moved by some seconds. */
const moved = (seconds: { readonly wall?: number; readonly monotonic?: number }) => {
  const by = { wall: 0, monotonic: 0 }
  const clock = Effect.map(Clock.Clock, (clock) => ({
    ...clock,
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + by.wall * 1e3,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + BigInt(by.monotonic) * 1_000_000_000n,
  }))
  return { clock, move: Effect.sync(() => Object.assign(by, seconds)) }
}

test.each([
  ["set back by an hour", { wall: -3600 }, "14999 millis", [1, 2, 3]],
  ["set forward by an hour", { wall: 3600 }, "1 millis", "lost"],
  [
    "right after the machine slept for an hour, which the monotonic clock has not counted",
    { wall: 3600 },
    "0 millis",
    "lost",
  ],
  ["set back in a machine that was frozen for 15 seconds", { wall: -3600, monotonic: 15 }, "0 millis", "lost"],
] as const)("no clock makes a grace longer: %s", function* ([, seconds, time, outcome]) {
  const { clock, move } = moved(seconds)
  const { kept, next } = yield* Effect.provideService(make, Clock.Clock, yield* clock)
  yield* kept()
  next.refresh = away
  yield* move
  yield* TestClock.adjust(time)
  expect(yield* kept()).toEqual(outcome)
})

test.each<readonly [leases: object | "advisory", outcome: string, groups?: ReadonlyArray<string>]>([
  [{}, "30s, 15s"],
  ["advisory", "20s"],
  ["advisory", "Advisory locks are for runners of the group `default` only. Use leases with other groups.", ["gpu"]],
  [{ expiry: "60 seconds", grace: "40 seconds" }, "1m, 40s"],
  [{ grace: "20 seconds" }, "`expiry` of leases is 30s; with a `grace` of 20s it must be more than 30s."],
  [{ expiry: "soon" }, '`expiry` and `grace` of leases must be durations, such as "30 seconds".'],
])("the times of leases leave no moment at which two runners own a shard: %s", function* ([leases, outcome, groups]) {
  const result = yield* Effect.match(Leases.settings(leases as Leases.Leases, groups), {
    onSuccess: ({ expiry, grace }) =>
      [expiry, grace ?? []]
        .flat()
        .map((time) => Duration.format(time))
        .join(", "),
    onFailure: ({ message, reason }) => (reason === "invalid" ? message : reason),
  })
  expect(result).toBe(outcome)
})
