/** Clients that release too little after a failed open, a close or the end of a Scope. */
import { Effect, Exit, Scope } from "effect"
import * as Parrot from "../third-party/Parrot.ts"
import { connecting, type Mutant, mutant } from "./Mutant.ts"

export const brokenEndings: ReadonlyArray<Mutant> = [
  mutant("opens before the handshake is complete", "open.silent-server", {
    driver: connecting((connect, config, id) =>
      connect({ ...config, serverUrl: config.serverUrl.replace(Parrot.silent.serverUrl, "stdio:awake") }, id),
    ),
  }),
  mutant("keeps a resource when an open fails", "open.failed-leaves-nothing", {
    driver: connecting((connect, config, id, { record }) =>
      Effect.tapError(connect(config, id), () => Effect.sync(() => record.holds("an empty cage"))),
    ),
  }),
  mutant("returns from a close before everything is released", "close.leaves-nothing", {
    driver: connecting((connect, config, id) =>
      Effect.gen(function* () {
        const own = yield* Scope.make()
        const late = Effect.forkDetach(Effect.andThen(Effect.sleep(20), Scope.close(own, Exit.void)))
        yield* Effect.addFinalizer(() => late)
        return yield* Scope.provide(connect(config, id), own)
      }),
    ),
  }),
  mutant("lets a running execute hang when its session closes", "close.ends-executes", {
    driver: connecting((connect, config, id) =>
      Effect.map(connect(config, id), (connection) => ({ ...connection, abort: () => {} })),
    ),
  }),
  mutant("leaves sessions open when its Scope ends", "disposal.closes-sessions", {
    make: (make) => Effect.flatMap(Scope.make(), (forever) => Scope.provide(make, forever)),
  }),
  mutant("cannot close a session whose server died", "death.mid-turn", {
    adapter: (adapter) => {
      const dead = new Set<string>()
      return {
        ...adapter,
        execute: (id, request) =>
          Effect.tapError(adapter.execute(id, request), ({ reason }) =>
            Effect.sync(() => (reason === "server-exited" ? dead.add(id) : undefined)),
          ),
        closeSession: (id) =>
          dead.has(id) ? Effect.andThen(adapter.execute(id, { content: "x" }), Effect.void) : adapter.closeSession(id),
      }
    },
  }),
]
