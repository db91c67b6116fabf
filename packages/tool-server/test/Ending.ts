/**
 * A server that the test ends itself, and whether its port is free.
 */
import * as net from "node:net"
import { Effect, Exit, Scope } from "effect"

/** Adds `end` to a resource: it releases the resource as the end of the test would. */
export const endable = Effect.fnUntraced(function* <A extends object, E>(start: Effect.Effect<A, E, Scope.Scope>) {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const started = yield* Scope.provide(start, scope)
  return { ...started, end: Scope.close(scope, Exit.void) }
})

/** Whether a local port is free. */
export const canListen = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = net.createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })
