/**
 * A cluster in this process: a caller, a ledger in memory, and a runner that can end and come back.
 */
import * as ClusterEngine from "@zain/cluster-client/ClusterEngine"
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import * as ConfigurationCodec from "@zain/cluster-client/ConfigurationCodec"
import * as EngineClient from "@zain/cluster-client/EngineClient"
import { Ledger } from "@zain/cluster-client/Ledger"
import * as MemoryLedger from "@zain/cluster-client/MemoryLedger"
import * as SessionEntity from "@zain/cluster-client/SessionEntity"
import type { AgentRequest, Answer, Driver, Turn } from "@zain/core/AgentConnection"
import type { Parsed } from "@zain/core/McpConnectionConfig"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as AgentRunner from "../src/AgentRunner.ts"
import type { RunnerAgent } from "../src/AgentTable.ts"

/** An agent that is a function; the prompts that have reached it, and the configurations of its connections. */
export interface Scripted {
  readonly prompts: Array<string>
  readonly opened: Array<Parsed>
  readonly agent: RunnerAgent
}

/** Makes an agent whose conversation has an id, unless `isNameless`. */
export const scripted = (
  reply: (request: AgentRequest, turn: Turn) => Effect.Effect<Partial<Answer> & { readonly content: string }, McpError>,
  { isNameless = false, ...more }: Partial<RunnerAgent> & { readonly isNameless?: boolean } = {},
): Scripted => {
  const prompts: Array<string> = []
  const opened: Array<Parsed> = []
  const driver: Driver = {
    provider: "scripted",
    supports: {
      streaming: true,
      approvals: true,
      cancelKeepsConversation: true,
      failureKeepsConversation: true,
      background: false,
      turnOptions: true,
    },
    connect: (config) =>
      Effect.sync(() => {
        opened.push(config)
        const { threadId = "thread" } = config.providerOptions
        return {
          execute: (request, turn) =>
            Effect.suspend(() => {
              prompts.push(request.content)
              if (!isNameless) turn.emit({ _tag: "ThreadStarted", threadId: String(threadId) })
              return Effect.map(reply(request, turn), (answer) => ({ isError: false, ...answer }))
            }),
          abort: () => {},
        }
      }),
  }
  const local = (providerOptions: Readonly<Record<string, unknown>>) =>
    McpConnectionConfig.stdio({ command: "scripted", providerOptions })
  return { prompts, opened, agent: { driver: Effect.succeed(driver), local, ...more } }
}

/** One runner, and the engine through which a caller reaches it. */
const node = Effect.fnUntraced(function* ({ agent }: Scripted, ledger: Ledger) {
  const context = yield* Layer.build(ClusterEngine.oneProcess(Layer.succeed(Ledger, ledger)))
  const scope = yield* Scope.fork(yield* Effect.scope)
  const layer = AgentRunner.layer({ agents: { scripted: agent } })
  yield* Effect.provideContext(Layer.buildWithScope(layer, scope), context)
  return { context, end: Scope.close(scope, Exit.void) }
})

/**
 * Starts two runners with one ledger, as if each owned every session: what the engine prevents, and the ledger must bear. They
 * end with the Scope.
 *
 * @param wrap changes the ledger, for mutants
 */
export const start = Effect.fnUntraced(function* (
  scripted: Scripted,
  wrap: (ledger: Ledger) => Ledger = (ledger) => ledger,
) {
  const ledger = wrap(yield* MemoryLedger.make)
  const [first, second] = [yield* node(scripted, ledger), yield* node(scripted, ledger)]
  return {
    ledger,
    /** A client whose sessions are on the first runner. */
    client: (options: Partial<EngineClient.Options> = {}) =>
      Effect.provideContext(EngineClient.over({ provider: "scripted", owner, ...options }), first.context),
    /** Ends the first runner. */
    end: first.end,
    /** Sends messages of a session to the second runner. */
    other: (session: string) =>
      Effect.provideContext(
        Effect.map(SessionEntity.AgentSession.client, (client) => client(SessionEntity.addressOf(session, "default"))),
        second.context,
      ),
  }
})

/** The principal of the clients. */
export const owner = "tester"

/** What a client sends with every message of a session. */
export const session = (id: string, more: Partial<SessionEntity.Session> = {}): SessionEntity.Session => {
  const parsed = Result.getOrThrow(McpConnectionConfig.parse(ClusterMcpClient.config("scripted")))
  const { configuration } = Result.getOrThrow(ConfigurationCodec.encode(parsed))
  return { id, owner, agent: "scripted", configuration: Redacted.make(configuration), hasTurns: false, ...more }
}
