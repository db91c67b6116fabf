/**
 * A runner, from its command line until a signal ends it.
 */
import * as ClusterEngine from "@zain/cluster-client/ClusterEngine"
import * as ClusterTls from "@zain/cluster-client/ClusterTls"
import * as Retention from "@zain/cluster-client/Retention"
import type { Environment } from "@zain/command/OptionTable"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as AgentRunner from "../AgentRunner.ts"
import * as ClusterStatus from "../ClusterStatus.ts"
import * as StatusPage from "../StatusPage.ts"
import * as AgentsFile from "./AgentsFile.ts"
import { type Serve, written } from "./RunnerOptions.ts"

const tlsOptions: ClusterTls.Names = { cert: "--tls-cert", key: "--tls-key", ca: "--tls-ca" }

const say = (line: string) => Effect.sync(() => void process.stderr.write(`${line}\n`))

/**
 * Runs a runner until it is interrupted: then it drains.
 *
 * @param line the command line
 * @param env the environment, with the variables that agents receive
 */
export const run = Effect.fnUntraced(function* (line: Serve, env: Environment) {
  const { advertise, database, groups } = line
  const { drain, idle, listen, locks, "max-sessions": maxSessions, "status-port": statusPort } = line.values
  const tls = line.tls === undefined ? undefined : yield* ClusterTls.read(line.tls, tlsOptions)
  const agents = yield* AgentsFile.read(line.agents, env)
  // Forked before the runner's layers are built, so that the page is served until the runner has drained.
  const whole = yield* Scope.fork(yield* Effect.scope)
  const node = ClusterEngine.runner({
    ...{ database, address: advertise, listen, groups, maxSessions, drain },
    ...(tls === undefined ? {} : { tls }),
    ...(locks === "advisory" ? { leases: locks } : {}),
  })
  const runner = AgentRunner.layer({ agents, maxIdleTime: idle }).pipe(
    Layer.merge(Retention.layer()),
    Layer.provideMerge(node),
  )
  const built = yield* Effect.mapError(Layer.build(runner), (error) => notListening(written(listen), error))
  const counts = Context.get(built, AgentRunner.RunnerCounts)
  if (statusPort !== undefined) {
    const status = Effect.provideContext(ClusterStatus.read, built)
    yield* say(`Status: ${yield* Scope.provide(StatusPage.serve(statusPort, status, counts.now), whole)}`)
  }
  yield* say(`Listening on ${written(listen)}, reached at ${written(advertise)}, groups ${groups.join(", ")}`)
  yield* Effect.addFinalizer(() => {
    const { turns } = counts.now()
    return say(`Draining: ${turns} turns under way, at most ${Duration.format(drain)}. Another signal ends them.`)
  })
  return yield* Effect.never
})

/** Node's code is in the cause of the engine's error. */
const notListening = (address: string, error: Error): Error => {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (code === undefined) return error
  const remedy = code === "EADDRINUSE" ? "Another process uses the port" : "Check the address"
  return new Error(`Cannot listen on ${address} (${code}). ${remedy}, or choose another with --listen.`)
}
