/** What the end of a session, or of an open that failed, leaves: nothing, and no way back. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { type McpError, messageLimit } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpServer from "./HttpServer.ts"
import { client, config, session } from "./Server.ts"
import * as SseServer from "./SseServer.ts"

const reasonOf = (error: McpError) => `${error._tag} ${error.reason} ${error.delivery}`

describe("a session that has ended does not come back (promise 8)", () => {
  it.live("execute after close is SessionClosed, without contact", () =>
    Effect.gen(function* () {
      const { adapter, ask, id, server } = yield* HttpServer.session()
      yield* adapter.closeSession(id)
      const contacts = server.asked.length
      for (const again of [ask("echo"), ask("echo"), adapter.closeSession(id)]) {
        assert.strictEqual(reasonOf(yield* Effect.flip(again)), "SessionClosed closed not-sent")
      }
      assert.strictEqual(server.asked.length, contacts)
    }),
  )

  it.live("a server that died is not started again, nor is a stream that ended opened again", () =>
    Effect.gen(function* () {
      const { ask } = yield* session()
      yield* Effect.flip(ask("die"))
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable server-exited not-sent")

      const server = yield* SseServer.start()
      const adapter = yield* client
      const id = yield* adapter.openSession(McpConnectionConfig.sse({ url: server.url }))
      server.drop()
      yield* Effect.flip(adapter.execute(id, { content: "echo" }))
      const contacts = server.asked.length
      yield* Effect.flip(adapter.execute(id, { content: "echo" }))
      assert.strictEqual(server.asked.length, contacts)
    }),
  )
})

describe("closeSession (promise 9)", () => {
  it.live(
    "settles the call under way first, then ends a stubborn server; of two closes one is told that it came second",
    () =>
      Effect.gen(function* () {
        const { adapter, ask, id } = yield* session(["ignore-eof", "ignore-sigterm"], { closeGrace: "800 millis" })
        const order: Array<string> = []
        const note = (what: string) => Effect.sync(() => order.push(what))
        const pending = yield* Effect.forkChild(Effect.ensuring(ask("hang"), note("call")), { startImmediately: true })
        const close = adapter.closeSession(id)
        const first = yield* Effect.forkChild(Effect.ensuring(close, note("close")), { startImmediately: true })
        const second = yield* Effect.flip(close)
        assert.strictEqual(reasonOf(second), "SessionClosed closed not-sent")
        yield* Fiber.join(first)
        assert.deepStrictEqual(order, ["call", "close"])
        const exit = yield* Fiber.await(pending)
        assert.isTrue(Exit.isFailure(exit))
      }),
  )
})

describe("an open that fails leaves nothing once its client has ended, and says why in a typed error of at most 1 KiB (promises 6 and 10)", () => {
  const words = "x".repeat(1_000_000)
  const answering =
    (status: number, type: string, body: string): HttpServer.Answer =>
    (_, response) => {
      response.writeHead(status, { "content-type": type }).end(body)
      return true
    }
  const hangUp: HttpServer.Answer = (_, response) => {
    response.destroy()
    return true
  }
  const constructors = { "streamable-http": McpConnectionConfig.streamableHttp, sse: McpConnectionConfig.sse }
  const http: ReadonlyArray<{
    readonly what: string
    readonly answer: HttpServer.Answer
    readonly reason: string
    readonly connectTimeout?: number
  }> = [
    { what: "never answers", answer: () => true, reason: "connect-timeout", connectTimeout: 400 },
    { what: "is a web page", answer: answering(200, "text/html", words), reason: "not-an-mcp-server" },
    {
      what: "answers with another JSON",
      answer: answering(200, "application/json", "{}"),
      reason: "not-an-mcp-server",
    },
    { what: "asks for a login", answer: answering(401, "text/plain", words), reason: "unauthorized" },
    { what: "is out of order", answer: answering(503, "text/plain", words), reason: "server-error" },
    { what: "hangs up", answer: hangUp, reason: "connection-lost" },
  ]

  it.live.each(
    http.flatMap(
      (one) =>
        [
          { ...one, transport: "streamable-http" },
          { ...one, transport: "sse" },
        ] as const,
    ),
  )("over $transport, of a server that $what", ({ answer, connectTimeout = 240_000, reason, transport }) =>
    Effect.gen(function* () {
      const server = yield* HttpServer.start(answer)
      const before = handles()
      const given = constructors[transport]({ connectTimeout, url: server.url })
      const opening = Effect.flatMap(client, (adapter) => adapter.openSession(given))
      const error = yield* Effect.flip(Effect.scoped(opening))
      assert.strictEqual(reasonOf(error), `ConnectionUnavailable ${reason} not-sent`)
      assert.isAtMost(Buffer.byteLength(error.message), messageLimit)
      yield* until(server.open, 0)
      yield* isBackAt(before)
    }),
  )

  it.live.each([
    { what: "never answers", faults: ["silent", "grandchild", "ignore-eof", "ignore-sigterm"] },
    { what: "leaves at once", faults: ["stderr=2000000", "exit-at-once=3"] },
    { what: "refuses", faults: ["refuse-initialize", "runaway"] },
  ])("over stdio, of a server that $what: no process, no handle, no file", ({ faults }) =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "zain-test-"))
      const outer = process.env["TMPDIR"]
      process.env["TMPDIR"] = directory
      const before = handles()
      const failing = Effect.gen(function* () {
        const adapter = yield* client
        const error = yield* Effect.flip(adapter.openSession(config(faults, { connectTimeout: "2 seconds" })))
        assert.isAtMost(Buffer.byteLength(error.message), messageLimit)
        assert.deepStrictEqual(readdirSync(directory), [])
      })
      yield* Effect.scoped(failing)
      yield* isBackAt(before)
      if (outer === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = outer
      rmSync(directory, { recursive: true })
    }),
  )
})

/** What keeps this process going, by kind. What comes and goes by itself, and the server's own, do not count. */
const handles = (): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (!/^(Immediate|FSReq|CloseReq|MessagePort|TCP)/.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

/** Waits until there is nothing beyond that. */
const isBackAt = (before: ReadonlyMap<string, number>) => {
  const more = () => [...handles()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind)
  return until(Effect.sync(more), [])
}

/**
 * Looks until it sees what is due, two hundred times: less than an idle connection is kept. The other end of a connection
 * hears of its end a few turns later, and what holds this program back holds the looking back too.
 */
const until = <A>(look: Effect.Effect<A>, due: A) =>
  Effect.gen(function* () {
    for (let looks = 1; ; looks++) {
      const seen = yield* look
      if (JSON.stringify(seen) === JSON.stringify(due)) return
      if (looks === 200) assert.deepStrictEqual(seen, due)
      yield* Effect.sleep(10)
    }
  })
