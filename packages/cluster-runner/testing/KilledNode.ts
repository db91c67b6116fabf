/**
 * A process of `pnpm cluster:kills`: a runner, or a caller that executes random turns. It ends with the process that started it.
 */
import { randomUUID } from "node:crypto"
import { appendFileSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ClusterEngine from "@zain/cluster-client/ClusterEngine"
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import type { Leases } from "@zain/cluster-client/Leases"
import { Ledger } from "@zain/cluster-client/Ledger"
import * as Program from "@zain/command/Program"
import type { AgentConnection, Driver } from "@zain/core/AgentConnection"
import * as McpApproval from "@zain/core/McpApproval"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { type McpError, SessionClosed } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as AgentRunner from "../src/AgentRunner.ts"

/** What a process is, and what all processes of its cluster share. */
export interface Settings {
  readonly database: string
  readonly leases: Leases
  /** Has the log of prompts and the conversations. */
  readonly folder: string
  readonly seed: string
  /** A runner's port; absent for a caller. */
  readonly port?: number
  /** Whether the ledger of runners lets every turn begin. */
  readonly isMutant: boolean
}

/** What a process reports: a runner that it has joined, a caller each turn. */
export type Report =
  | { readonly _tag: "Joined" }
  | { readonly _tag: "Began"; readonly id: string; readonly kind: Kind }
  | { readonly _tag: "Ended"; readonly id: string; readonly outcome: string; readonly isNotSent: boolean }

/** `open` is an `openSession`; a `waiting` turn is behind another one of its session. */
export type Kind = "open" | "first" | "later" | "waiting" | "asking"

const report = (what: Report) => Effect.sync(() => void process.send?.(what))

/** How long turns may go on after SIGTERM; the longest take more. */
const drain = Duration.seconds(3)
/** What a process may take beyond that, as `zain-runner` does. */
const leaving = Duration.seconds(10)
const maxTurnMillis = 5_000
const sessionsOfCaller = 4

/** An agent that logs each prompt before it does anything, and keeps its conversations as files. */
const agent = (folder: string): Driver => ({
  provider: "logger",
  supports: {
    ...{ streaming: true, approvals: true, cancelKeepsConversation: true, failureKeepsConversation: true },
    ...{ background: false, turnOptions: false },
  },
  connect: ({ providerOptions }) =>
    Effect.suspend((): Effect.Effect<AgentConnection, McpError> => {
      const { threadId = randomUUID() } = providerOptions as { readonly threadId?: string }
      const file = join(folder, threadId)
      if (providerOptions["threadId"] === undefined) writeFileSync(file, "")
      else if (!existsSync(file)) {
        const message = "The conversation is gone."
        return Effect.fail(new SessionClosed({ reason: "conversation-lost", message, delivery: "not-sent" }))
      }
      return Effect.succeed({
        abort: () => {},
        execute: ({ content }, turn) =>
          Effect.gen(function* () {
            const { asks, id, millis } = JSON.parse(content)
            appendFileSync(join(folder, "prompts"), `${id}\n`)
            yield* Effect.sleep(millis / 2)
            turn.emit({ _tag: "ThreadStarted", threadId })
            if (asks) yield* turn.approve({ kind: "command", message: "May I?", command: "true" })
            yield* Effect.sleep(millis / 2)
            return { content: id, isError: false, threadId }
          }),
      })
    }),
})

const runner = ({ database, folder, isMutant, leases, port = 0 }: Settings) => {
  const address = { host: "127.0.0.1", port }
  const node = ClusterEngine.runner({ database: Redacted.make(database), leases, address, drain })
  const careless = Layer.effect(
    Ledger,
    Effect.map(Ledger, (ledger): Ledger => ({ ...ledger, begin: () => Effect.succeed({ _tag: "Mine" }) })),
  )
  const local = (providerOptions: Readonly<Record<string, unknown>>) =>
    McpConnectionConfig.stdio({ command: "logger", providerOptions })
  const served = AgentRunner.layer({ agents: { logger: { driver: Effect.succeed(agent(folder)), local } } })
  return Layer.build((isMutant ? served.pipe(Layer.provide(careless)) : served).pipe(Layer.provide(node))).pipe(
    Effect.andThen(report({ _tag: "Joined" })),
    Effect.andThen(Effect.never),
  )
}

const caller = Effect.fnUntraced(function* ({ database }: Settings) {
  const approvals = () => Effect.as(Effect.flatMap(Random.nextIntBetween(0, 2_000), Effect.sleep), McpApproval.approve)
  const client = yield* ClusterMcpClient.make({
    ...{ provider: "logger", database, approvals, acceptTimeout: "20 seconds" },
  }).pipe(Effect.retry(Schedule.spaced("500 millis")))

  /** Runs an operation, and reports what became of it. */
  const observed = Effect.fnUntraced(function* <A>(
    kind: Kind,
    run: (id: string) => Effect.Effect<A, McpError>,
    isRight: (result: A, id: string) => boolean = () => true,
  ) {
    const id = randomUUID()
    yield* report({ _tag: "Began", id, kind })
    const result = yield* Effect.result(run(id))
    const failure = Result.isFailure(result) ? result.failure : undefined
    const right = Result.isSuccess(result) && isRight(result.success, id) ? "answered" : "another turn's answer"
    const outcome = failure === undefined ? right : `${failure.reason} ${failure.delivery}`
    yield* report({ _tag: "Ended", id, outcome, isNotSent: failure?.delivery === "not-sent" })
    if (failure !== undefined) yield* Effect.sleep("300 millis")
    return result
  })

  const session = Effect.gen(function* () {
    const opened = yield* observed("open", () => client.openSession(ClusterMcpClient.config("logger")))
    const id = yield* Effect.fromResult(opened)
    let threadId: string | undefined
    const turn = (kind: Kind) =>
      Effect.gen(function* () {
        const millis = Math.round(maxTurnMillis * (yield* Random.next) ** 2)
        const isRight = (answer: McpResponse, asked: string) => {
          threadId ??= answer.threadId
          return answer.content === asked && answer.threadId === threadId
        }
        const prompt = (id: string) => JSON.stringify({ id, millis, asks: kind === "asking" })
        return yield* observed(kind, (asked) => client.execute(id, { content: prompt(asked) }), isRight)
      })
    const turns = yield* Random.nextIntBetween(1, 8)
    for (let number = 0; number < turns; number++) {
      const kind = number === 0 ? "first" : yield* Random.choice(["later", "waiting", "asking"] as const)
      const behind = kind === "waiting" ? [turn("later"), turn(kind)] : [turn(kind)]
      const results = yield* Effect.all(behind, { concurrency: "unbounded" })
      if (results.some((result) => Result.isFailure(result) && result.failure._tag === "SessionClosed")) break
    }
    yield* client.closeSession(id)
  })
  return yield* Effect.all(
    Array.from({ length: sessionsOfCaller }, () => Effect.forever(Effect.ignore(session))),
    { concurrency: "unbounded" },
  )
})

process.on("disconnect", () => process.exit(1))
process.once("message", (settings: Settings) => {
  const [name, work]: readonly [string, Effect.Effect<unknown, unknown, Scope.Scope>] =
    settings.port === undefined ? ["caller", caller(settings)] : ["runner", runner(settings)]
  Program.run(name, Random.withSeed(Effect.as(work, 0), settings.seed), {
    signals: 0,
    within: Duration.sum(drain, leaving),
  })
})
