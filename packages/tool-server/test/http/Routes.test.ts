/** HTTP routes in addition to MCP, over each transport that listens. */
import { once } from "node:events"
import { connect } from "node:net"
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import * as RawHttp from "@zain/testkit/RawHttp"
import { test } from "@zain/testkit/Test"
import type { HttpRoute, RouteRequest } from "@zain/tool-server/http/Routes"
import { Deferred, Effect, Fiber } from "effect"
import * as Doors from "../../testing/Doors.ts"
import { kinds } from "../../testing/http/Openings.ts"
import * as TestServer from "../../testing/TestServer.ts"
import { canListen, endable } from "../Ending.ts"

const token = "token-of-the-first-one"
const bearer = { authorization: `Bearer ${token}` }
const json = { "content-type": "application/json" }

/**
 * - `GET /state`: `{"state":"here"}`
 * - `POST /work`: its query and its body; for the body `"stay"` it waits until `go`, for `"fail"` it ends with a defect
 */
const make = Effect.fnUntraced(function* () {
  const go = yield* Deferred.make<void>()
  const seen = { working: 0, interrupted: 0, asked: [] as Array<RouteRequest> }
  const stay = Effect.acquireUseRelease(
    Effect.sync(() => void seen.working++),
    () => Deferred.await(go),
    () => Effect.sync(() => void seen.working--),
  ).pipe(Effect.onInterrupt(() => Effect.sync(() => void seen.interrupted++)))
  const routes: ReadonlyArray<HttpRoute> = [
    { method: "GET", path: "/state", handle: () => Effect.succeed({ status: 200, body: { state: "here" } }) },
    {
      method: "POST",
      path: "/work",
      handle: Effect.fnUntraced(function* (request) {
        seen.asked.push(request)
        if (request.body === "stay") yield* stay
        if (request.body === "fail") return yield* Effect.die("broken")
        return { status: 201, body: { query: request.query.get("q"), body: request.body } }
      }),
      refusal: (status, message) => ({ refused: status, message }),
    },
  ]
  return { routes, seen, go: Deferred.succeed(go, undefined) }
})

const begin = Effect.fnUntraced(function* (options: TestServer.StartOptions) {
  const made = yield* make()
  const started = yield* TestServer.start({ ...options, routes: made.routes })
  return { ...made, ...started, seen: made.seen, client: yield* RawHttp.make(started.url) }
})

const work = (body: string, more: RawHttp.Asked = {}): RawHttp.Asked => ({
  path: "/work",
  body,
  ...more,
  headers: { ...json, ...more.headers },
})

describe.each(kinds)("a route, over %s", (kind) => {
  test.live("answers a request and a body in addition to MCP, with Content-Length", function* () {
    const { client, url } = yield* begin({ kind })
    const state = yield* client.send({ path: "/state" })
    assert.deepStrictEqual([state.status, JSON.parse(state.text)], [200, { state: "here" }])
    const answer = yield* client.send(work('{"a":[1,"ö"]}', { path: "/work?q=x%20y" }))
    assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [201, { query: "x y", body: { a: [1, "ö"] } }])
    for (const { headers, text } of [state, answer]) {
      assert.strictEqual(headers["content-length"], String(Buffer.byteLength(text)))
      assert.strictEqual(headers["content-type"], "application/json")
    }
    const mcp = yield* Doors.session(url)
    const called = yield* Doors.ask(mcp, Messages.call(1, "echo", { text: "also" }), 1)
    assert.include(JSON.stringify(called), "also")
  })

  test.live(
    "is authenticated: a foreign page is rejected with 403, and a missing or wrong token with 401",
    function* () {
      const { client, seen } = yield* begin({ kind, tokens: [token] })
      const all = ["/state", "/work"].flatMap((path) => [{ path }, { path, body: "1" }])
      for (const asked of all) {
        const send = (headers: Readonly<Record<string, string>>) =>
          Effect.map(client.send({ ...asked, headers: { ...json, ...headers } }), ({ status }) => status)
        assert.strictEqual(yield* send({ ...bearer, origin: "https://evil.example" }), 403)
        assert.strictEqual(yield* send({ ...bearer, host: "evil.example" }), 403)
        assert.strictEqual(yield* send({}), 401)
        assert.strictEqual(yield* send({ authorization: `${bearer.authorization}x` }), 401)
      }
      assert.deepStrictEqual(seen.asked, [])
      assert.strictEqual((yield* client.send({ path: "/state", headers: bearer })).status, 200)
    },
  )

  test.live("rejects other methods with 405, and names its own", function* () {
    const { client, seen } = yield* begin({ kind })
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const { headers, status, text } = yield* client.send({ path: "/work", method })
      assert.deepStrictEqual([status, headers.allow], [405, "POST"], method)
      assert.deepInclude(JSON.parse(text), { refused: 405 })
    }
    const other = yield* client.send({ path: "/state", method: "POST", headers: json, body: "1" })
    assert.deepStrictEqual([other.status, other.headers.allow], [405, "GET"])
    assert.deepStrictEqual(seen.asked, [])
  })
})

const limits = { maxBodyBytes: 1_000, maxDepth: 8, maxElements: 20 }
const refused: ReadonlyArray<readonly [what: string, asked: RawHttp.Asked, status: number]> = [
  ["a form", work("a=1", { headers: { "content-type": "application/x-www-form-urlencoded" } }), 415],
  ["a missing type", { path: "/work", method: "POST", body: "1" }, 415],
  ["another charset", work("1", { headers: { "content-type": "application/json; charset=latin1" } }), 415],
  ["a compressed body", work("1", { headers: { "content-encoding": "gzip" } }), 415],
  ["a body over the limit", work(JSON.stringify("x".repeat(1_000))), 413],
  [
    "a body over the limit in pieces",
    work(JSON.stringify("x".repeat(1_000)), { headers: { "transfer-encoding": "chunked" } }),
    413,
  ],
  ["invalid JSON", work("{"), 400],
  ["an empty body", work(""), 400],
  ["invalid UTF-8", { ...work(""), body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
  ["deeply nested arrays", work("[".repeat(9) + "]".repeat(9)), 400],
  ["many values", work(JSON.stringify(Array.from({ length: 21 }, () => 1))), 400],
]

describe("a body for a route", () => {
  test.live.each(refused)(
    "is rejected before the route receives it, with the route's own error body: %s",
    function* ([_, asked, status]) {
      const { client, seen } = yield* begin({ kind: "http", limits })
      const answer = yield* client.send(asked)
      assert.strictEqual(answer.status, status)
      const { message, ...rest } = JSON.parse(answer.text)
      assert.deepStrictEqual(rest, { refused: status })
      assert.isNotEmpty(message)
      assert.deepStrictEqual(seen.asked, [])
    },
  )
})

describe("a route's handler", () => {
  test.live(
    "runs for the maximum number of requests; one more is rejected with 503, and accepted when one has ended",
    function* () {
      const { client, go, seen } = yield* begin({ kind: "http", limits: { maxRouteRequests: 2 } })
      const two = yield* Effect.forkScoped(
        Effect.all([client.send(work('"stay"')), client.send(work('"stay"'))], { concurrency: 2 }),
      )
      yield* TestServer.eventually(() => seen.working === 2)
      const third = yield* client.send(work("3"))
      assert.deepStrictEqual([third.status, third.headers["retry-after"]], [503, "1"])
      assert.deepInclude(JSON.parse(third.text), { refused: 503 })
      assert.strictEqual((yield* client.send({ path: "/state" })).status, 200)
      yield* go
      assert.deepStrictEqual(
        (yield* Fiber.join(two)).map(({ status }) => status),
        [201, 201],
      )
      assert.strictEqual((yield* client.send(work("3"))).status, 201)
    },
  )

  test.live("runs for a request while others are incomplete", function* () {
    const { client, url } = yield* begin({ kind: "http", limits: { maxRouteRequests: 1 } })
    const { host, port } = new URL(url)
    const socket = connect(Number(port), "127.0.0.1")
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    const head = ["POST /work HTTP/1.1", `Host: ${host}`, "Content-Type: application/json", "Content-Length: 9"]
    socket.write([...head, "Expect: 100-continue", "", "1"].join("\r\n"))
    // The server has started to read the request then.
    yield* Effect.promise(() => once(socket, "data"))
    assert.strictEqual((yield* client.send(work("1"))).status, 201)
  })

  test.live("is interrupted when its client disconnects, and no longer counts", function* () {
    const { client, go, seen, url } = yield* begin({ kind: "http", limits: { maxRouteRequests: 1 } })
    const lost = yield* RawHttp.make(url)
    yield* Effect.forkScoped(lost.send(work('"stay"')))
    yield* TestServer.eventually(() => seen.working === 1)
    lost.vanish()
    yield* TestServer.eventually(() => seen.interrupted === 1)
    yield* go
    assert.strictEqual((yield* client.send(work("1"))).status, 201)
  })

  test.live(
    "that ends with a defect is answered with 500 and the route's own error body, without the cause",
    function* () {
      const { client } = yield* begin({ kind: "http" })
      const answer = yield* client.send(work('"fail"'))
      assert.deepStrictEqual(
        [answer.status, JSON.parse(answer.text)],
        [500, { refused: 500, message: "Internal error." }],
      )
    },
  )

  test.live("is interrupted and answered with 503 when the server shuts down, and the port is released", function* () {
    const { routes, seen } = yield* make()
    const { end, port, url } = yield* endable(TestServer.start({ kind: "http", routes }))
    const client = yield* RawHttp.make(url)
    const asked = yield* Effect.forkScoped(client.send(work('"stay"')))
    yield* TestServer.eventually(() => seen.working === 1)
    yield* end
    const { headers, status, text } = yield* Fiber.join(asked)
    assert.deepStrictEqual([status, headers.connection], [503, "close"])
    assert.deepStrictEqual(JSON.parse(text), { refused: 503, message: "This server is shutting down." })
    assert.deepStrictEqual([seen.working, seen.interrupted], [0, 1])
    assert.isTrue(yield* canListen(port))
  })
})
