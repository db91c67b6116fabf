/**
 * An agent as an MCP server: one session for each connection, whatever carries it.
 *
 * @see Model Context Protocol 2025-11-25; promises 21, 23, 24, 28 and 29
 */
import { setImmediate } from "node:timers/promises"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Agent } from "./Agent.ts"
import * as Lifecycle from "./Lifecycle.ts"
import * as Presence from "./Presence.ts"
import * as ToolCall from "./ToolCall.ts"
import * as Tools from "./Tools.ts"

/**
 * - `version`: what `initialize` tells about this server
 * - `approvalTimeout`: how long a client may take to decide what the agent asks. 5 minutes
 * - `heartbeat`: the longest silence of a turn towards a client that wants to hear of it. 10 seconds
 * - `maxCalls`: how many calls a client may have under way at once; one more is refused. 64
 */
export interface Options {
  readonly version: string
  readonly approvalTimeout?: Duration.Input
  readonly heartbeat?: Duration.Input
  readonly maxCalls?: number
}

/**
 * One client.
 *
 * - `isBusy`: whether a call of its is under way
 * - `leave`: the client is away: its turns are interrupted and its hold on the agent ends. Its next call attaches again
 * - `ended`: waits until the connection is closed, by either side
 */
export interface ServerSession {
  readonly isBusy: () => boolean
  readonly leave: Effect.Effect<void>
  readonly ended: Effect.Effect<void>
}

/**
 * - `name`: what clients are told; the command has the same
 * - `session`: serves one client over a transport that has not been started. When the Scope closes the client's turns
 *   are interrupted and answered, its hold on the agent ends, and the transport is closed. `principal` is a secret of
 *   the client's own: with it, the threads that it is told of are of use to nobody else
 */
export interface AgentServer {
  readonly name: string
  readonly session: (transport: Transport, principal?: string) => Effect.Effect<ServerSession, never, Scope.Scope>
}

/** No schema is ever compiled; the SDK would make a validator for each session. */
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "schemas are not run" }),
}

const tooMany = (maxCalls: number): CallToolResult => {
  const text = `This session has ${maxCalls} calls under way, and may have no more at once. Wait for one to end, or cancel one.`
  return { content: [{ type: "text", text }], isError: true }
}

/** A turn of the event loop lets the SDK say what became of the calls. */
const close = (server: Server) =>
  Effect.promise(async () => {
    await setImmediate()
    await server.close().catch(() => {})
  })

/**
 * A server of an agent, for any number of clients at once.
 *
 * @param agent what it serves
 */
export const make = <StartOptions>(agent: Agent<StartOptions>, options: Options): Effect.Effect<AgentServer> =>
  Effect.sync(() => {
    const name = `zain-${agent.name}-mcp`
    const tools = Tools.make(agent)
    const limits: ToolCall.Limits = {
      approvalTimeout: Duration.fromInputUnsafe(options.approvalTimeout ?? "5 minutes"),
      heartbeat: Duration.fromInputUnsafe(options.heartbeat ?? "10 seconds"),
    }

    const maxCalls = options.maxCalls ?? 64

    const session = (transport: Transport, principal?: string) =>
      Effect.gen(function* () {
        const run = Effect.runForkWith(yield* Effect.context<never>())
        const ended = Deferred.makeUnsafe<void>()
        const presence = Presence.make(agent.attach)
        let calls = 0
        const server = new Server(
          { name, title: agent.title, version: options.version },
          {
            capabilities: { tools: {}, experimental: { "zain/events": {} } },
            instructions: tools.instructions,
            jsonSchemaValidator: noValidator,
          },
        )
        server.onerror = () => {}
        server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.list] }))
        server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
          if (calls >= maxCalls) return tooMany(maxCalls)
          const call = ToolCall.make(tools, params, {
            limits,
            presence,
            principal,
            client: server.getClientCapabilities(),
            extra,
          })
          const fiber = run(call)
          calls++
          fiber.addObserver(() => calls--)
          return ToolCall.settle(fiber, extra.signal)
        })
        // Runs before what `connect` makes is closed.
        yield* Effect.acquireRelease(
          Effect.promise(() => server.connect(Lifecycle.guard(transport))),
          () => Effect.andThen(presence.leave, close(server)),
        )
        server.onclose = () => void Deferred.doneUnsafe(ended, Effect.void)
        yield* Effect.forkScoped(Effect.andThen(Deferred.await(ended), presence.leave))
        return { isBusy: presence.isBusy, leave: presence.leave, ended: Deferred.await(ended) }
      })
    return { name, session }
  })
