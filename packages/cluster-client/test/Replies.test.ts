import * as McpApproval from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { layer, Replies } from "../src/Replies.ts"

test("a question takes one reply, of the owner of its session only, until it is withdrawn (promise 21)", function* () {
  const { ask, receive } = yield* Effect.provide(Replies, Replies.layer)
  const asked = yield* Deferred.make<void>()
  const asking = yield* Effect.forkChild(ask("ann", "one", () => Deferred.doneUnsafe(asked, Effect.void)))
  yield* Deferred.await(asked)
  const reply = McpApproval.approve
  expect([receive({ owner: "bob", id: "one", reply }), receive({ owner: "ann", id: "two", reply })]).toEqual([
    false,
    false,
  ])
  expect(receive({ owner: "ann", id: "one", reply })).toBe(true)
  expect(yield* Fiber.join(asking)).toEqual(reply)
  expect(receive({ owner: "ann", id: "one", reply })).toBe(false)
  const withdrawn = yield* Effect.forkChild(
    ask("ann", "three", () => {}),
    { startImmediately: true },
  )
  yield* Fiber.interrupt(withdrawn)
  expect(receive({ owner: "ann", id: "three", reply })).toBe(false)
})

/** Sends a reply to a runner, and returns the URLs that were posted to. `statuses`: the answers, the last one also to all that follow. */
const posted = Effect.fnUntraced(function* (runner: string, ...statuses: ReadonlyArray<number>) {
  const urls: Array<string> = []
  const http = HttpClient.make((request, url) =>
    Effect.sync(() => {
      urls.push(url.href)
      const status = statuses[urls.length - 1] ?? statuses.at(-1) ?? 204
      return HttpClientResponse.fromWeb(request, new Response(null, { status }))
    }),
  )
  const { send } = yield* Effect.provide(
    Replies,
    Layer.provide(layer(false), Layer.succeed(HttpClient.HttpClient, http)),
  )
  const sending = yield* Effect.forkChild(send(runner, { owner: "ann", id: "one", reply: McpApproval.approve }))
  yield* TestClock.adjust("1 second")
  yield* Fiber.interrupt(sending)
  return urls
})

test("a runner names its host and port, and nothing else of the URL to which a reply is sent", function* () {
  expect(yield* posted("runner-1.example:7000")).toEqual(["http://runner-1.example:7000/replies"])
  expect(yield* posted("::1:7000")).toEqual(["http://[::1]:7000/replies"])
  for (const runner of ["u:p@127.0.0.1:80/500#:1", "host/path:80", "host?:80", "host\\x:80", "a b:80", ":80", "host"]) {
    expect([runner, yield* posted(runner)]).toEqual([runner, []])
  }
})

test("a reply is sent again until its runner has taken it or no longer waits for it", function* () {
  const urls = (count: number) => Array(count).fill("http://runner:7000/replies")
  expect(yield* posted("runner:7000", 500, 413, 204)).toEqual(urls(3))
  expect(yield* posted("runner:7000", 503, 404)).toEqual(urls(2))
})
