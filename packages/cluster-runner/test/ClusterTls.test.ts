/** Mutual TLS between the nodes of a cluster. */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as ClusterTls from "@zain/cluster-client/ClusterTls"
import * as ClusterTransport from "@zain/cluster-client/ClusterTransport"
import { directory } from "@zain/testkit/Directory"
import { listening } from "@zain/testkit/Listening"
import { soon } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import * as Context from "effect/Context"
import * as Entity from "effect/cluster/Entity"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Rpc from "effect/rpc/Rpc"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { authority, issue } from "../testing/Certificates.ts"

const Echo = Entity.make("Echo", [Rpc.make("say", { payload: { text: Schema.String }, success: Schema.String })])
const handlers = Echo.toLayer({ say: ({ payload }) => Effect.succeed(payload.text) })

const [right, foreign] = await Effect.runPromise(Effect.all([authority, authority]))
const nodes = await Effect.runPromise(
  Effect.all({
    right: issue(right),
    foreign: issue(foreign),
    expired: issue(right, [-2, -1]),
    early: issue(right, [1, 2]),
  }),
)

const freePort = Effect.scoped(listening(() => {}))

/** A runner, and what callers share with it. */
const runner = Effect.fnUntraced(function* (tls: ClusterTls.ClusterTls | undefined, port?: number) {
  const address = RunnerAddress.make("127.0.0.1", port ?? (yield* freePort))
  const storage = Layer.succeedContext(
    yield* Layer.build(Layer.mergeAll(MessageStorage.layerNoop, RunnerStorage.layerMemory)),
  )
  const shared = Layer.merge(
    storage,
    ShardingConfig.layer({ runnerAddress: Option.some(address), runnerHealthCheckInterval: "1 second" }),
  )
  yield* Layer.build(
    handlers.pipe(Layer.provide(ClusterTransport.runner(tls === undefined ? {} : { tls })), Layer.provide(shared)),
  )
  return shared
})

/** Says a word over a new connection; returns its echo, or why the runner was not reached. */
const say = Effect.fnUntraced(function* (
  shared: Effect.Success<ReturnType<typeof runner>>,
  tls: ClusterTls.ClusterTls | undefined,
) {
  const context = yield* Layer.build(
    ClusterTransport.client(tls === undefined ? {} : { tls }).pipe(Layer.provide(shared)),
  )
  const client = yield* Effect.provideContext(Echo.client, context)
  const { last } = Context.get(context, ClusterTransport.PeerFailures)
  const failure = Effect.repeat(last, { until: Option.isSome, schedule: Schedule.spaced("20 millis") })
  return yield* soon(Effect.raceFirst(client("one").say({ text: "hello" }), Effect.map(failure, String)))
}, Effect.scoped)

describe("a runner with TLS", () => {
  test.live("serves a caller whose certificate its authority has issued", function* () {
    assert.strictEqual(yield* say(yield* runner(nodes.right), nodes.right), "hello")
  })

  test.live.each([
    ["none", undefined, /closed the connection \(ECONNRESET\)\. If it uses TLS, set `tls`/],
    ["a foreign one", { ...nodes.foreign, ca: right.cert }, /rejected this node's certificate/],
    ["an expired one", nodes.expired, /rejected this node's certificate/],
    [
      "the right one, and trusts another authority",
      { ...nodes.right, ca: foreign.cert },
      /is not trusted \(.*`tls\.ca`/,
    ],
  ] as const)("serves no caller with %s, whose failure says why", function* ([, tls, why]) {
    assert.match(yield* say(yield* runner(nodes.right), tls), why)
  })

  test.live("is not taken for a runner without TLS, which a caller with a certificate refuses", function* () {
    assert.match(yield* say(yield* runner(undefined), nodes.right), /does not use TLS/)
  })
})

describe("PeerFailures.lost", () => {
  test.live("completes when the runner has gone, and not while it is connected or was never reached", function* () {
    const [port, life] = [yield* freePort, yield* Scope.make()]
    const shared = yield* Scope.provide(runner(nodes.right, port), life)
    const context = yield* Layer.build(ClusterTransport.client({ tls: nodes.right }).pipe(Layer.provide(shared)))
    const client = yield* Effect.provideContext(Echo.client, context)
    const { lost } = Context.get(context, ClusterTransport.PeerFailures)
    assert.strictEqual(yield* client("one").say({ text: "hello" }), "hello")
    const watching = yield* Effect.forkScoped(lost(`127.0.0.1:${port}`), { startImmediately: true })
    assert.isUndefined(watching.pollUnsafe())
    yield* Scope.close(life, Exit.void)
    yield* soon(Fiber.join(watching))
    const never = yield* Effect.forkScoped(lost("node9:8930"), { startImmediately: true })
    assert.isUndefined(never.pollUnsafe())
  })
})

describe("ClusterTls.check", () => {
  test.each([
    [{ ...nodes.right, key: nodes.foreign.key }, "invalid", "`tls.key` is not the private key of `tls.cert`"],
    [{ ...nodes.right, ca: foreign.cert }, "invalid", "`tls.cert` was not issued by `tls.ca`"],
    [{ ...nodes.right, cert: "cert" }, "invalid", "`tls.cert` is not a certificate"],
    [{ ...nodes.right, ca: right.key }, "invalid", "`tls.ca` is not a certificate"],
    [nodes.expired, "expired", "`tls.cert` has expired"],
    [nodes.early, "expired", "Check the clock"],
  ] as const)("refuses certificates that no peer accepts, with the remedy: %#", function* ([tls, reason, message]) {
    const error = yield* Effect.flip(Effect.fromResult(ClusterTls.check(tls, Date.now())))
    assert.strictEqual(error.reason, reason)
    assert.include(error.message, message)
    assert.notInclude(JSON.stringify(error), "PRIVATE KEY")
  })
})

describe("ClusterTls.read", () => {
  test.live("refuses a key that other users can read, and names the file", function* () {
    const folder = yield* directory
    const paths = { cert: join(folder, "cert"), key: join(folder, "key"), ca: join(folder, "ca") }
    for (const name of ["cert", "key", "ca"] as const) {
      const value = nodes.right[name]
      writeFileSync(paths[name], typeof value === "string" ? value : Redacted.value(value), { mode: 0o640 })
    }
    assert.strictEqual((yield* ClusterTls.read(paths)).cert, nodes.right.cert)
    const missing = yield* Effect.flip(ClusterTls.read({ ...paths, ca: join(folder, "none") }))
    assert.include(missing.message, "none of `tls.ca` cannot be read (ENOENT)")
    chmodSync(paths.key, 0o644)
    const { message, reason } = yield* Effect.flip(ClusterTls.read(paths))
    assert.deepStrictEqual([reason, message.includes(`chmod 640 ${paths.key}`)], ["unreadable", true])
  })
})
