/**
 * A runner, from its command line until a signal ends it.
 */
import { connect } from "node:net"
import * as ClusterTls from "@zain/cluster-client/ClusterTls"
import * as ClusterTransport from "@zain/cluster-client/ClusterTransport"
import * as Database from "@zain/cluster-client/Database"
import * as SqlLedger from "@zain/cluster-client/SqlLedger"
import type { Environment } from "@zain/command/OptionTable"
import * as Context from "effect/Context"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as AgentRunner from "../AgentRunner.ts"
import * as ClusterStatus from "../ClusterStatus.ts"
import * as StatusPage from "../StatusPage.ts"
import * as AgentsFile from "./AgentsFile.ts"
import type { Address, Serve } from "./RunnerOptions.ts"

const tlsOptions: ClusterTls.Names = { cert: "--tls-cert", key: "--tls-key", ca: "--tls-ca" }

/** How long another runner may take to answer at this one's address, in milliseconds. */
const answerWithin = 1000

const written = ({ host, port }: Address) => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`)
const say = (line: string) => Effect.sync(() => void process.stderr.write(`${line}\n`))

/**
 * Runs a runner until it is interrupted: then it drains.
 *
 * @param line the command line
 * @param env the environment, with the variables that agents receive
 */
export const run = Effect.fnUntraced(function* (line: Serve, env: Environment) {
  const tls = line.tls === undefined ? undefined : yield* ClusterTls.read(line.tls, tlsOptions)
  const agents = yield* AgentsFile.read(line.agents, env)
  const storage = yield* Layer.build(SqlLedger.layer.pipe(Layer.provideMerge(Database.layer(line.database))))
  yield* Effect.provideContext(unused(line.advertise), storage)
  const engine = ClusterTransport.runner(tls === undefined ? {} : { tls }).pipe(
    Layer.provide([MessageStorage.layerNoop, Layer.orDie(SqlRunnerStorage.layer)]),
    Layer.provide(configOf(line)),
  )
  const runner = AgentRunner.layer({ agents, maxIdleTime: line.idle }).pipe(
    Layer.provide(engine),
    Layer.provide(Layer.succeedContext(storage)),
  )
  const counts = Context.get(
    yield* Effect.mapError(Layer.build(runner), (error) => notListening(line.listen, error)),
    AgentRunner.RunnerCounts,
  )
  if (line.statusPort !== undefined) {
    const status = Effect.provideContext(ClusterStatus.read, storage)
    yield* say(`Status: ${yield* StatusPage.serve(line.statusPort, status, counts.now)}`)
  }
  yield* say(
    `Listening on ${written(line.listen)}, reached at ${written(line.advertise)}, groups ${line.groups.join(", ")}`,
  )
  yield* Effect.addFinalizer(() => {
    const { turns } = counts.now()
    return say(`Draining: ${turns} turns under way, at most ${Duration.format(line.drain)}. Another signal ends them.`)
  })
  return yield* Effect.never
})

const configOf = ({ advertise, drain, groups, listen, maxSessions }: Serve) =>
  ShardingConfig.layer({
    runnerAddress: Option.some(RunnerAddress.make(advertise.host, advertise.port)),
    runnerListenAddress: Option.some(RunnerAddress.make(listen.host, listen.port)),
    availableShardGroups: groups,
    assignedShardGroups: groups,
    maxResidentEntities: maxSessions,
    entityTerminationTimeout: drain,
    runnerHealthCheckInterval: "2 seconds",
    refreshAssignmentsInterval: "1 second",
  })

const notListening = (listen: Address, error: ServeError | Error): Error => {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (code === undefined) return error
  const remedy = code === "EADDRINUSE" ? "Another process uses the port" : "Check the address"
  return new Error(`Cannot listen on ${written(listen)} (${code}). ${remedy}, or choose another with --listen.`)
}

/** Two runners of one address would take each other's messages: fails if another one is listed and answers there. */
const unused = (address: Address) =>
  Effect.gen(function* () {
    const { runners } = yield* ClusterStatus.read
    const isListed = runners.some((runner) => runner.address === written(address) && runner.isHealthy)
    if (!isListed || !(yield* answers(address))) return
    yield* Effect.fail(
      new Error(
        `Another runner answers at ${written(address)}. Give each runner an address of its own with --advertise.`,
      ),
    )
  })

const answers = ({ host, port }: Address) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect({ host, port, timeout: answerWithin })
    const end = (isOpen: boolean) => {
      socket.destroy()
      resume(Effect.succeed(isOpen))
    }
    socket
      .on("connect", () => end(true))
      .on("timeout", () => end(false))
      .on("error", () => end(false))
  })
