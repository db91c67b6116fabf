/**
 * The one app-server of many clients: there while it is needed, and another one after it has died.
 */

import { AgentError } from "@zain/agent-server/AgentError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { CodexServer } from "./CodexServer.ts"

/**
 * - `hold`: keeps what runs, and what will, to the end of the Scope. With the last one it ends
 * - `server`: the one that runs, or a new one. Fails with `start-failed`
 * - `running`: the one that runs, if one does
 * - `giveUp`: ends one that does not do as it is told
 */
export interface CodexHost {
  readonly hold: Effect.Effect<void, never, Scope.Scope>
  readonly server: Effect.Effect<CodexServer, AgentError>
  readonly running: () => CodexServer | undefined
  readonly giveUp: (server: CodexServer) => Effect.Effect<void>
}

interface Running {
  readonly server: CodexServer
  readonly scope: Scope.Closeable
}

/** A host without a server. Whatever it has started ends with the Scope. */
export const make = Effect.fnUntraced(function* (
  open: Effect.Effect<CodexServer, AgentError, Scope.Scope>,
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
    const server = yield* restore(Scope.provide(open, scope)).pipe(
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))),
    )
    running = { server, scope }
    // What a process leaves behind when it dies is ended at once.
    yield* Effect.forkIn(Effect.andThen(Effect.exit(server.ended), oneByOne(end(Exit.void, server))), own)
    return server
  })

  const server = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      if (holders === 0) return Effect.fail(letGo)
      if (running !== undefined && !running.server.isOver()) return Effect.succeed(running.server)
      return Effect.andThen(end(Exit.void), start(restore))
    }),
  )

  yield* Effect.addFinalizer(() => oneByOne(end(Exit.void)))
  return {
    server: oneByOne(server),
    running: () => running?.server,
    giveUp: (server) => oneByOne(end(Exit.fail("given up"), server)),
    hold: Effect.acquireRelease(
      Effect.sync(() => {
        holders++
      }),
      () => oneByOne(Effect.suspend(() => (--holders === 0 ? end(Exit.void) : Effect.void))),
    ),
  }
})

const letGo = new AgentError({ reason: "start-failed", message: "Codex is not started for a client that has left." })
