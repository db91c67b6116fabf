import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { canListen, endable } from "../../../tool-server/test/Ending.ts"
import { test } from "../../../tool-server/test/Test.ts"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"

const starting = (options?: Front.Options) => endable(Front.still(options))

describe("a server that ends (promise 30)", () => {
  test.live.each(["http", "sse"] as const)(
    "frees its port, with half-open connections, unfinished requests and open streams: %s",
    function* (kind) {
      const { end, port, url } = yield* starting({ kind })
      const raw = yield* RawClient.make(url)
      const half = yield* Effect.forEach(["", "POST /mcp HT", "GET / HTTP/1.1\r\nHost: x\r\n"], (text) =>
        Effect.map(RawClient.connect(port), ({ closed, socket }) => {
          socket.write(text)
          return closed
        }),
      )
      const head = `Host: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 9`
      const body = yield* RawClient.connect(port)
      body.socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n\r\n{`)
      const fin = yield* RawClient.connect(port)
      fin.socket.end("GET")
      const streams = kind === "sse" ? [yield* raw.open({ headers: Front.json })] : []
      if (kind === "http") streams.push(yield* (yield* Front.session(url)).listen())
      // Its clock stands still: it waits for none of them.
      yield* end
      yield* Effect.forEach([...half, body.closed, fin.closed], (closed) => closed)
      yield* Effect.forEach(streams, (stream) => stream.ended)
      assert.isTrue(yield* canListen(port))
    },
  )

  test.live("interrupts its turns, tells their clients so, and lets go of the agent", function* () {
    const { end, seen, url } = yield* starting()
    const client = yield* Front.session(url)
    const turn = yield* client.begin(Front.call("say x\nstay"))
    yield* RawClient.eventually(() => seen.working === 1)
    yield* end
    assert.deepStrictEqual([seen.working, seen.attached, seen.interrupted.length], [0, 0, 1])
    const answer = Front.answerOf({ text: yield* turn.ended })
    assert.isTrue(answer?.result?.isError)
  })

  test.live("does not wait longer than it may for a client that does not read", function* () {
    const { clock, end, seen, url } = yield* starting()
    const client = yield* Front.session(url, undefined, { experimental: { "zain/events": {} } })
    const turn = yield* client.begin(Front.call("flood 100 65536\nstay"))
    turn.pause()
    yield* RawClient.eventually(() => seen.working === 1)
    const ending = yield* Effect.forkChild(end)
    yield* Effect.repeat(clock.adjust("2 seconds"), {
      while: () => ending.pollUnsafe() === undefined,
      schedule: Schedule.spaced("10 millis"),
    })
  })
})
