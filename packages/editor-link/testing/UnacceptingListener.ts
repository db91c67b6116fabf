/**
 * A listener that accepts no connection: it is blocked, and its queue is full.
 */
import { connect } from "node:net"
import { Worker } from "node:worker_threads"
import { eventually } from "@zain/testkit/RawSocket"
import { Effect } from "effect"

const blocked = `
  const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    require("node:worker_threads").parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

/** Listens on 127.0.0.1 until the Scope ends, and returns the port. */
export const start = Effect.gen(function* () {
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(blocked, { eval: true })),
    (worker) => Effect.promise(() => worker.terminate()),
  )
  const port = yield* Effect.callback<number>(
    (resume) => void worker.once("message", (port) => resume(Effect.succeed(port))),
  )
  const sockets = yield* Effect.acquireRelease(
    Effect.sync(() => Array.from({ length: 16 }, () => connect(port, "127.0.0.1").on("error", () => {}))),
    (all) => Effect.sync(() => all.forEach((socket) => void socket.destroy())),
  )
  yield* eventually(() => sockets.filter(({ connecting }) => !connecting).length >= 2)
  return port
})
