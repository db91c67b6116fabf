/**
 * The official SDK's client of a session, and the notifications that it received.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { ClientCapabilities, ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import * as Effect from "effect/Effect"
import * as InMemory from "../../tool-server/testing/InMemory.ts"
import * as AgentServer from "../src/AgentServer.ts"
import * as InMemoryAgent from "./InMemoryAgent.ts"

/** A notification. */
export interface Received {
  readonly method: string
  readonly params: Record<string, unknown>
}

/** A request to the client. */
export interface Asked {
  readonly params: Record<string, unknown>
  /** Aborted when the server cancels the request. */
  readonly signal: AbortSignal
}

export interface Options {
  readonly capabilities?: ClientCapabilities
  readonly answer?: (asked: Asked) => Promise<ElicitResult> | ElicitResult
}

/**
 * A client over a transport that is not started. `received` has every notification, `asked` every request, and `wire` the
 * methods of all messages, in order.
 */
export const connect = Effect.fnUntraced(function* (transport: Transport, options: Options = {}) {
  const received: Array<Received> = []
  const asked: Array<Asked> = []
  const wire: Array<string> = []
  const sdk = new Client({ name: "test", version: "0" }, { capabilities: options.capabilities ?? {} })
  sdk.fallbackRequestHandler = async (request, { signal }) => {
    const question = { params: request.params ?? {}, signal }
    asked.push(question)
    if (options.answer === undefined) throw new Error("not prepared")
    return await options.answer(question)
  }
  const call = yield* InMemory.connect(sdk, transport)
  // The SDK loses a progress notification that arrives together with its answer.
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    wire.push("method" in message ? message.method : "answer")
    if ("method" in message && !("id" in message)) {
      received.push({ method: message.method, params: (message.params ?? {}) as Record<string, unknown> })
    }
    onmessage?.(message, extra)
  }
  return { sdk, received, asked, wire, call }
})

/** An agent, a server of it, and a client in the same process. */
export const open = Effect.fnUntraced(function* (options: Options & Partial<AgentServer.Options> = {}) {
  const agent = InMemoryAgent.make()
  const server = AgentServer.make(agent, { version: "1", ...options })
  return { agent, server, ...(yield* join(server, options)) }
})

/** Connects another client to a server. */
export const join = Effect.fnUntraced(function* (server: ToolServer, options: Options & InMemory.JoinOptions = {}) {
  const { session, transport } = yield* InMemory.join(server, options)
  return { session, client: yield* connect(transport, options), transport }
})
