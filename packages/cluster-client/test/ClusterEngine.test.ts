import { listening } from "@zain/testkit/Listening"
import { test } from "@zain/testkit/Test"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { expect } from "vitest"
import * as ClusterEngine from "../src/ClusterEngine.ts"
import type { Leases } from "../src/Leases.ts"
import * as SharedPostgres from "../testing/SharedPostgres.ts"

const server = SharedPostgres.make()

const Place = Entity.make("Place", [
  Rpc.make("port", { success: Schema.Number }),
  Rpc.make("turn", { success: Schema.String, stream: true }),
]).annotate(ClusterSchema.ShardGroup, (id) => (id.startsWith("gpu") ? "gpu" : "default"))

const sessions = Array.from({ length: 20 }, (_, id) => id)

/** A node of its own, which does not log the outages of the test. */
const build = <A, E>(node: Layer.Layer<A, E>) =>
  Layer.build(Layer.fresh(Layer.provide(node, Layer.succeed(References.MinimumLogLevel, "Fatal"))))

/** A cluster over an empty database, its turns end when `end` is done. */
const make = Effect.fnUntraced(function* (leases: Leases = {}) {
  const database = yield* (yield* server).database
  const end = yield* Deferred.make<void>()
  /** Starts a runner, and returns its port. */
  const runner = Effect.fnUntraced(function* (groups: ReadonlyArray<string> = ["default"]) {
    const port = yield* Effect.scoped(listening(() => {}))
    const turn = Stream.concat(Stream.make("begun"), Stream.fromEffect(Effect.as(Deferred.await(end), "ended")))
    const entities = Place.toLayer({ port: () => Effect.succeed(port), turn: () => turn })
    const address = { host: "127.0.0.1", port }
    yield* build(Layer.provide(entities, ClusterEngine.runner({ database, address, leases, groups })))
    return port
  })
  const caller = yield* build(ClusterEngine.client({ database }))
  return { client: yield* Effect.provideContext(Place.client, caller), end, runner }
})

test.live("a session is served by a runner of its group, which its client need not know", function* () {
  const { client, runner } = yield* make()
  const started = yield* Effect.all([runner(), runner(["gpu"])], { concurrency: 2 })
  const ports = (group: string) =>
    Effect.forEach(sessions, (id) => client(`${group}${id}`).port(), { concurrency: "unbounded" })
  expect([new Set(yield* ports("")), new Set(yield* ports("gpu"))]).toEqual(started.map((port) => new Set([port])))
})

test.live("a turn goes on with leases while the database is frozen for twelve seconds", function* () {
  const { client, end, runner } = yield* make({ expiry: "60 seconds", grace: "40 seconds" })
  yield* Effect.all([runner(), runner()], { concurrency: 2 })
  const isBegun = yield* Deferred.make<void>()
  const turn = client("1").turn()
  const running = yield* Effect.forkChild(
    Effect.exit(Stream.runCollect(Stream.tap(turn, () => Deferred.succeed(isBegun, undefined)))),
  )
  yield* Deferred.await(isBegun)
  const postgres = yield* server
  yield* postgres.freeze
  // The engine refreshes every 5 s, and waits as long for the answer.
  yield* Effect.raceFirst(Fiber.await(running), Effect.sleep("12 seconds"))
  yield* postgres.thaw
  // The assignment of shards follows what the runners read of each other now.
  yield* Effect.raceFirst(Fiber.await(running), Effect.sleep("6 seconds"))
  yield* Deferred.succeed(end, undefined)
  const exit = yield* Fiber.join(running)
  expect(Exit.isSuccess(exit) ? exit.value : "interrupted").toEqual(["begun", "ended"])
})
