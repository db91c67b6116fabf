/**
 * A process of `pnpm cluster:kills`: a runner, or a caller that executes random turns. It ends with the process that started it.
 */
import { randomUUID } from "node:crypto"
import { appendFileSync } from "node:fs"
import * as ClusterEngine from "@zain/cluster-client/ClusterEngine"
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import type { Leases } from "@zain/cluster-client/Leases"
import * as Program from "@zain/command/Program"
import * as McpApproval from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as AgentRunner from "../src/AgentRunner.ts"
import * as OneProcess from "./OneProcess.ts"

/** What a process is, and what all processes of its cluster share. */
export interface Settings {
  readonly database: string
  readonly leases: Leases
  /** The log of the prompts that have reached an agent. */
  readonly prompts: string
  readonly seed: string
  /** A runner's port. */
  readonly port: number | undefined
}

/** A turn of a caller, once it has begun, and once it has ended. */
export interface Report {
  readonly id: string
  readonly outcome?: string
}
const report = (id: string, outcome?: string) => Effect.sync(() => void process.send?.({ id, outcome }))

/** How long turns may go on after SIGTERM; some take more. */
const drain = Duration.seconds(3)
const maxTurnMillis = 5_000

const runner = ({ database, leases, port = 0, prompts }: Settings) => {
  const agent = OneProcess.scripted(
    ({ content }, turn) =>
      Effect.gen(function* () {
        const { asks, id, millis } = JSON.parse(content)
        appendFileSync(prompts, `${id}\n`)
        yield* Effect.sleep(millis / 2)
        turn.emit({ _tag: "ThreadStarted", threadId: "thread" })
        if (asks) yield* turn.approve({ kind: "command", message: "May I?", command: "true" })
        return yield* Effect.as(Effect.sleep(millis / 2), { content: id })
      }),
    { isNameless: true },
  )
  const address = { host: "127.0.0.1", port }
  const node = ClusterEngine.runner({ database: Redacted.make(database), leases, address, drain })
  return Layer.launch(Layer.provide(AgentRunner.layer({ agents: { scripted: agent.agent } }), node))
}

const caller = Effect.fnUntraced(function* ({ database }: Settings) {
  const approvals = () => Effect.as(Effect.flatMap(Random.nextIntBetween(0, 2_000), Effect.sleep), McpApproval.approve)
  const options = { provider: "scripted", database, approvals, acceptTimeout: "20 seconds" } as const
  const client = yield* Effect.retry(ClusterMcpClient.make(options), Schedule.spaced("500 millis"))

  /** Executes a turn, and reports what became of it. Returns whether the session is over. */
  const turn = Effect.fnUntraced(function* (session: McpSessionId) {
    const id = randomUUID()
    const millis = Math.round(maxTurnMillis * (yield* Random.next) ** 2)
    const content = JSON.stringify({ id, millis, asks: yield* Random.nextBoolean })
    yield* report(id)
    const result = yield* Effect.result(client.execute(session, { content }))
    const outcome = Result.match(result, {
      onSuccess: (answer) => (answer.content === id ? "answered" : "another turn's answer"),
      onFailure: ({ delivery, reason }) => `${reason} ${delivery}`,
    })
    yield* report(id, outcome)
    return Result.isFailure(result) && result.failure._tag === "SessionClosed"
  })

  const session = Effect.gen(function* () {
    const id = yield* client.openSession(ClusterMcpClient.config("scripted"))
    for (let left = yield* Random.nextIntBetween(1, 8); left > 0; left--) {
      // Of two turns at once, one waits for the other.
      const some = (yield* Random.nextBoolean) ? [turn(id), turn(id)] : [turn(id)]
      if ((yield* Effect.all(some, { concurrency: 2 })).some((isOver) => isOver)) break
    }
    yield* client.closeSession(id)
  })
  const sessions = Effect.forever(Effect.andThen(Effect.ignore(session), Effect.sleep("300 millis")))
  return yield* Effect.all([sessions, sessions, sessions, sessions], { concurrency: 4 })
})

process.on("disconnect", () => process.exit(1))
process.once("message", (settings: Settings) => {
  const work: Effect.Effect<unknown, unknown, Scope.Scope> =
    settings.port === undefined ? caller(settings) : runner(settings)
  // As `zain-runner` has it.
  const ending = { signals: 0, within: Duration.sum(drain, Duration.seconds(10)) }
  Program.run("cluster:kills", Random.withSeed(Effect.as(work, 0), settings.seed), ending)
})
