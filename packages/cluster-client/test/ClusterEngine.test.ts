import { createServer } from "node:net"
import { test } from "@zain/testkit/Test"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
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

const freePort = Effect.callback<number>((resume) => {
  const listener = createServer().listen(0, "127.0.0.1", () => {
    const { port } = listener.address() as { readonly port: number }
    listener.close(() => resume(Effect.succeed(port)))
  })
})

const sessions = Array.from({ length: 20 }, (_, id) => id)

/** A node of its own, which does not log the outages of the test. */
const build = <A, E>(node: Layer.Layer<A, E>) =>
  Layer.build(Layer.fresh(Layer.provide(node, Layer.succeed(References.MinimumLogLevel, "Fatal"))))

/** A cluster over an empty database, its turns end when `end` is done. */
const make = Effect.fnUntraced(function* (leases: Leases = "advisory") {
  const database = yield* (yield* server).database
  const end = yield* Deferred.make<void>()
  const scope = yield* Effect.scope
  const runner = Effect.fnUntraced(function* (
    more: { readonly port?: number; readonly groups?: ReadonlyArray<string> } = {},
  ) {
    const { port = yield* freePort, ...groups } = more
    const address = { host: "127.0.0.1", port }
    const own = yield* Scope.fork(scope)
    const turn = Stream.concat(Stream.make("begun"), Stream.fromEffect(Effect.as(Deferred.await(end), "ended")))
    const entities = Place.toLayer({ port: () => Effect.succeed(address.port), turn: () => turn })
    const node = Layer.provide(
      entities,
      ClusterEngine.runner({ database, address, leases, drain: "1 second", ...groups }),
    )
    yield* Scope.provide(build(node), own)
    return { port: address.port, stop: Scope.close(own, Exit.void) }
  })
  const caller = yield* build(ClusterEngine.client({ database }))
  const client = yield* Effect.provideContext(Place.client, caller)
  /** The ports at which twenty sessions are served. */
  const ports = Effect.forEach(sessions, (id) => client(`${id}`).port(), { concurrency: 20 })
  return { client, database, end, ports, runner }
})

test.live(
  "two runners share the sessions of a client, and when one ends the other one takes its sessions over",
  function* () {
    const { ports, runner } = yield* make()
    const [first, second] = yield* Effect.all([runner(), runner()], { concurrency: 2 })
    const both = (found: ReadonlyArray<number>) => new Set(found).size === 2
    yield* Effect.repeat(Effect.map(ports, both), { until: (isShared) => isShared })
    yield* first.stop
    expect(new Set(yield* ports)).toEqual(new Set([second.port]))
  },
)

test.live("a session is served by a runner of its group, which its client need not know", function* () {
  const { client, ports, runner } = yield* make({})
  const runners = [runner(), runner({ groups: ["gpu"] })]
  const [usual, gpu] = yield* Effect.all(runners, { concurrency: 2 })
  const ofGroup = yield* Effect.forEach(sessions, (id) => client(`gpu${id}`).port(), { concurrency: 20 })
  expect([new Set(ofGroup), new Set(yield* ports)]).toEqual([new Set([gpu?.port]), new Set([usual?.port])])
})

test("a runner of another group does not start with advisory locks, which would collide with those of other groups", function* () {
  const address = { host: "127.0.0.1", port: 1 }
  const database = Redacted.make("postgres://127.0.0.1:1")
  const node = ClusterEngine.runner({ database, address, groups: ["gpu"], leases: "advisory" })
  expect(yield* Effect.flip(build(node))).toMatchObject({ _tag: "LeaseError", reason: "invalid" })
})

const leases = { expiry: "60 seconds", grace: "40 seconds" } as const

test.live.each([
  ["goes on with leases while the database is stopped", leases, "stop", ["begun", "ended"]],
  ["goes on with leases while the database is frozen", leases, "freeze", ["begun", "ended"]],
  ["is interrupted with advisory locks when the database is stopped", "advisory", "stop", "interrupted"],
] as const)("a turn %s for twelve seconds", function* ([, locks, fault, outcome]) {
  const { client, end, runner } = yield* make(locks)
  yield* Effect.all([runner(), runner()], { concurrency: 2 })
  const isBegun = yield* Deferred.make<void>()
  const turn = client("1").turn()
  const running = yield* Effect.forkChild(
    Effect.exit(Stream.runCollect(Stream.tap(turn, () => Deferred.succeed(isBegun, undefined)))),
  )
  yield* Deferred.await(isBegun)
  const postgres = yield* server
  yield* postgres[fault]
  // The engine refreshes every 5 s, and waits as long for the answer.
  yield* Effect.raceFirst(Fiber.await(running), Effect.sleep("12 seconds"))
  yield* fault === "stop" ? postgres.start : postgres.thaw
  // The assignment of shards follows what the runners read of each other now.
  yield* Effect.raceFirst(Fiber.await(running), Effect.sleep("6 seconds"))
  yield* Deferred.succeed(end, undefined)
  const exit = yield* Fiber.join(running)
  expect(Exit.isSuccess(exit) ? exit.value : "interrupted").toEqual(outcome)
})

test.live("a runner with the address of a living one does not start, and one after it does", function* () {
  const { database, runner } = yield* make({})
  const first = yield* runner()
  const twin = ClusterEngine.runner({
    database,
    address: { host: "127.0.0.1", port: first.port },
    listen: { host: "127.0.0.1", port: yield* freePort },
  })
  const error = yield* Effect.flip(Effect.scoped(build(twin)))
  expect(error).toMatchObject({ _tag: "LeaseError", reason: "address-in-use" })
  expect(error.message).toContain(`127.0.0.1:${first.port}`)
  yield* first.stop
  expect((yield* runner({ port: first.port })).port).toBe(first.port)
})
