/** Clients that are wrong about what an open, a close or a Scope leaves behind. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Parrot from "../third-party/Parrot.ts"
import { connections, type Mutant } from "./Mutant.ts"

export const brokenEndings: ReadonlyArray<Mutant> = [
  {
    name: "opens before the handshake is complete",
    caughtBy: "open.silent-server",
    driver: (driver) => ({
      ...driver,
      connect: (config, id) =>
        driver.connect({ ...config, serverUrl: config.serverUrl.replace(Parrot.silent.serverUrl, "stdio:awake") }, id),
    }),
  },
  {
    name: "leaves something behind when an open fails",
    caughtBy: "open.failed-leaves-nothing",
    driver: (driver, record) => ({
      ...driver,
      connect: (config, id) =>
        Effect.tapError(driver.connect(config, id), () => Effect.sync(() => record.holds("an empty cage"))),
    }),
  },
  {
    name: "returns from a close before everything is released",
    caughtBy: "close.leaves-nothing",
    driver: (driver) => ({
      ...driver,
      connect: (config, id) =>
        Effect.gen(function* () {
          const own = yield* Scope.make()
          const late = Effect.forkDetach(Effect.andThen(Effect.sleep(20), Scope.close(own, Exit.void)))
          yield* Effect.addFinalizer(() => late)
          return yield* Scope.provide(driver.connect(config, id), own)
        }),
    }),
  },
  {
    name: "lets the execute under way hang when its session closes",
    caughtBy: "close.ends-executes",
    driver: connections((connection) => ({ ...connection, abort: () => {} })),
  },
  {
    name: "leaves sessions open when its Scope ends",
    caughtBy: "disposal.closes-sessions",
    make: (make) => Effect.flatMap(Scope.make(), (forever) => Scope.provide(make, forever)),
  },
  {
    name: "cannot close a session whose server died",
    caughtBy: "death.mid-turn",
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
  },
]
