/**
 * The app-server that all clients share. It runs while a client is attached, and is restarted after it has ended.
 */

import { type AgentError, startFailed } from "@zain/agent-server/AgentError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { CodexServer } from "./CodexServer.ts"

/** The shared app-server. */
export interface CodexHost {
  /** Keeps the server until the Scope closes. The server ends with its last hold. */
  readonly hold: Effect.Effect<void, never, Scope.Scope>
  /** The running server, or a new one. Fails with `start-failed`. */
  readonly server: Effect.Effect<CodexServer, AgentError>
  /** The running server, if there is one. */
  readonly running: () => CodexServer | undefined
}

interface Running {
  readonly server: CodexServer
  readonly scope: Scope.Closeable
}

/**
 * Makes a host without a server. Its servers end with the Scope.
 *
 * @param open starts a server; `giveUp` ends it by force
 */
export const make = Effect.fnUntraced(function* (
  open: (giveUp: CodexServer["giveUp"]) => Effect.Effect<CodexServer, AgentError, Scope.Scope>,
): Effect.fn.Return<CodexHost, never, Scope.Scope> {
  const own = yield* Effect.scope
  const oneByOne = (yield* Semaphore.make(1)).withPermits(1)
  let holders = 0
  let running: Running | undefined

  const end = (how: Exit.Exit<void, unknown>, only?: CodexServer) =>
    Effect.suspend(() => {
      const gone = running
      if (gone === undefined || (only !== undefined && gone.server !== only)) return Effect.void
      running = undefined
      return Scope.close(gone.scope, how)
    })

  const start = Effect.fnUntraced(function* (restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) {
    const scope = yield* Scope.make()
    const giveUp: CodexServer["giveUp"] = Effect.suspend(() => oneByOne(end(Exit.fail("given up"), server)))
    const server: CodexServer = yield* restore(Scope.provide(open(Effect.uninterruptible(giveUp)), scope)).pipe(
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))),
    )
    running = { server, scope }
    // Child processes of a server that ended are ended immediately.
    yield* Effect.forkIn(Effect.andThen(Effect.exit(server.ended), oneByOne(end(Exit.void, server))), own)
    return server
  })

  const server = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      if (holders === 0) return letGo
      if (running !== undefined && !running.server.isOver()) return Effect.succeed(running.server)
      return Effect.andThen(end(Exit.void), start(restore))
    }),
  )

  yield* Effect.addFinalizer(() => oneByOne(end(Exit.void)))
  return {
    server: oneByOne(server),
    running: () => running?.server,
    hold: Effect.acquireRelease(
      Effect.sync(() => {
        holders++
      }),
      () => oneByOne(Effect.suspend(() => (--holders === 0 ? end(Exit.void) : Effect.void))),
    ),
  }
})

const letGo = startFailed("The client has disconnected, so Codex was not started.")
