/** Mutual TLS between the nodes of a cluster. */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
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
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Rpc from "effect/rpc/Rpc"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
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

/** A runner, and what callers share with it. */
const runner = Effect.fnUntraced(function* (tls: ClusterTls.ClusterTls | undefined) {
  const address = RunnerAddress.make("127.0.0.1", yield* Effect.scoped(listening(() => {})))
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

describe("ClusterTls.check", () => {
  test.live.each([
    [{ ...nodes.right, key: nodes.foreign.key }, "`tls.key` is not the private key of `tls.cert`"],
    [{ ...nodes.right, ca: foreign.cert }, "`tls.cert` was not issued by `tls.ca`"],
    [{ ...nodes.right, cert: "cert" }, "`tls.cert` is not a certificate"],
    [{ ...nodes.right, ca: right.key }, "`tls.ca` is not a certificate"],
    [nodes.expired, "`tls.cert` is valid from"],
    [nodes.early, "check the clock"],
  ] as const)(
    "refuses a caller with certificates that no peer accepts, with the remedy: %#",
    function* ([tls, message]) {
      const client = ClusterMcpClient.make({ provider: "codex", database: "postgres://127.0.0.1:1/none", tls })
      const error = yield* Effect.flip(client)
      assert.strictEqual(error.reason, "invalid-config")
      assert.include(error.message, message)
      assert.notInclude(JSON.stringify(error), "PRIVATE KEY")
    },
  )
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
    assert.include(missing.message, "none of `tls.ca` cannot be read (ENOENT). Check the path.")
    chmodSync(paths.key, 0o644)
    const { message, reason } = yield* Effect.flip(ClusterTls.read(paths))
    assert.deepStrictEqual([reason, message.includes(`chmod 640 ${paths.key}`)], ["unreadable", true])
  })
})
