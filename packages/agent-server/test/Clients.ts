/**
 * The official SDK's client at the other end of a session, and what it was told.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { CallToolResult, ClientCapabilities, ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as AgentServer from "../src/AgentServer.ts"
import * as InMemoryAgent from "./InMemoryAgent.ts"

/** In milliseconds, for the SDK, whose own minute is no measure of a test. It only ends what hangs. */
const timeout = 240_000

/** A notification, by its method. */
export interface Told {
  readonly method: string
  readonly params: Record<string, unknown>
}

/** What the client was asked, and how the SDK tells that nobody waits any more. */
export interface Asked {
  readonly params: Record<string, unknown>
  readonly signal: AbortSignal
}

export interface Options {
  readonly capabilities?: ClientCapabilities
  readonly answer?: (asked: Asked) => Promise<ElicitResult> | ElicitResult
}

/**
 * A client of a transport that nobody has started. Every notification stands in `told`, every question in `asked`; `wire`
 * has the names of all that came, in order.
 */
export const connect = Effect.fnUntraced(function* (transport: Transport, options: Options = {}) {
  const told: Array<Told> = []
  const asked: Array<Asked> = []
  const wire: Array<string> = []
  const sdk = new Client({ name: "test", version: "0" }, { capabilities: options.capabilities ?? {} })
  sdk.onerror = () => {}
  sdk.fallbackRequestHandler = async (request, { signal }) => {
    const question = { params: request.params ?? {}, signal }
    asked.push(question)
    if (options.answer === undefined) throw new Error("not prepared")
    return await options.answer(question)
  }
  yield* Effect.acquireRelease(
    Effect.promise(() => sdk.connect(transport, { timeout })),
    () => Effect.promise(() => sdk.close()),
  )
  // The SDK loses a progress notification that arrives together with its answer.
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    wire.push("method" in message ? message.method : "answer")
    if ("method" in message && !("id" in message)) {
      told.push({ method: message.method, params: (message.params ?? {}) as Record<string, unknown> })
    }
    onmessage?.(message, extra)
  }
  const call = (name: string, args: unknown, { progressToken }: { readonly progressToken?: string | number } = {}) =>
    Effect.tryPromise({
      try: async (signal) => {
        const _meta = progressToken === undefined ? {} : { _meta: { progressToken } }
        const params = { name, arguments: args as Record<string, unknown>, ..._meta }
        return (await sdk.callTool(params, undefined, { signal, timeout })) as CallToolResult
      },
      catch: (cause) => cause as Error,
    })
  return { sdk, told, asked, wire, call }
})

/** An agent, a server of it, and a client in the same process. */
export const open = Effect.fnUntraced(function* (options: Options & Partial<AgentServer.Options> = {}) {
  const agent = InMemoryAgent.make()
  const server = AgentServer.make(agent, { version: "1", ...options })
  return { agent, server, ...(yield* join(server, options)) }
})

/**
 * One more client of a server.
 *
 * - `within`: the Scope of the server's side of it, when that ends first
 * - `isSlow`: whether notifications take longer than answers to leave the server
 */
export const join = Effect.fnUntraced(function* (
  server: ToolServer,
  options: Options & { readonly principal?: string; readonly within?: Scope.Scope; readonly isSlow?: boolean } = {},
) {
  const [here, there] = InMemoryTransport.createLinkedPair()
  const send = there.send.bind(there)
  if (options.isSlow === true) {
    there.send = async (message) => {
      if (!("id" in message)) await new Promise((resolve) => setImmediate(resolve))
      await send(message)
    }
  }
  const session = yield* server
    .session(there, options.principal)
    .pipe(Scope.provide(options.within ?? (yield* Effect.scope)))
  const client = yield* connect(here, options)
  return { session, client, transport: here }
})

/** Waits until something is so; the test's own limit ends it. */
export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    isSo()
      ? Effect.void
      : Effect.andThen(
          Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
          until(isSo),
        ),
  )
