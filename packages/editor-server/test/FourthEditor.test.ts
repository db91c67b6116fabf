/**
 * The fourth editor behind MCP: over a socket that answers, and with a peer that a test scripts.
 */
import { readFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { createInterface } from "node:readline"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { eventually } from "../../tool-server/test/TestServer.ts"
import * as Editors from "./Editors.ts"
import { fourthEditor } from "./FourthEditor.ts"
import { ScriptedPeer } from "./link/ScriptedPeer.ts"

/** Answers each line with the name of its tool. */
const fake = Effect.gen(function* () {
  const server = createServer((socket) => {
    createInterface({ input: socket }).on("line", (line) => {
      const { id, do: name } = JSON.parse(line)
      socket.write(`${JSON.stringify({ id, ok: `did ${name}` })}\n`)
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => void server.close()),
  )
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port }
})

describe("a fourth editor", () => {
  test.live("it is a value of under 60 lines (editors House 1)", function* () {
    const source = yield* Effect.promise(() => readFile(new URL("./FourthEditor.ts", import.meta.url), "utf8"))
    assert.isBelow(source.split("\n").length, 60)
  })

  test.live("its tools are listed, and its answers are their results (editors House 1)", function* () {
    const { call, names } = yield* Editors.client(yield* Editors.server(fourthEditor, [yield* fake]))
    assert.deepStrictEqual(yield* names, ["look", "draw"])
    assert.strictEqual(Editors.textOf(yield* call("draw", {})), "did draw")
  })

  test.live("a call that changes it and is lost is not sent again, and its delivery is unknown", function* () {
    const peer = new ScriptedPeer()
    const options = { connect: () => peer.connect }
    const server = yield* Editors.server(fourthEditor, [{ host: "127.0.0.1", port: 1 }], options)
    const { call } = yield* Editors.client(server)
    const drawing = yield* Effect.forkChild(call("draw", {}))
    yield* eventually(() => peer.sent.length === 1)
    peer.end()
    const error = Editors.errorOf(yield* Fiber.join(drawing))
    assert.deepInclude(error, { code: "CONNECTION_ERROR", delivery: "unknown", retryable: false })
    assert.lengthOf(peer.sent, 1)
  })
})
