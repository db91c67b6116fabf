/**
 * The official SDK's client, for the handshake and everything rare. The only module that imports it.
 */
import type { Client, ClientOptions } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { ClientCapabilities, JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import type { TraceContext } from "@zain/core/AgentConnection"
import { type JsonRpcMessage, noValidator } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type { ServerInfo } from "./AgentProfile.ts"
import type { McpWire } from "./McpWire.ts"

/**
 * - `message`: gives the SDK a message that is no call's and asks nothing
 * - `end`: tells the SDK that the wire has ended, if it still waits for anything
 * - `handshake`: completes MCP's initialize, and says who the server is; fails with what the SDK said
 * - `protocolVersion`: the version of MCP that the handshake has agreed on
 */
export interface SdkHandshake {
  readonly message: (message: JsonRpcMessage) => void
  readonly end: () => void
  readonly handshake: Effect.Effect<ServerInfo, Error>
  readonly protocolVersion: () => string | undefined
}

/** See MCP, `ClientCapabilities`. */
export interface Capabilities {
  readonly elicitation?: { readonly form: object }
  readonly experimental?: Readonly<Record<string, object>>
}

/** The SDK's own limit, out of the way: limits are ours. */
const never = 2 ** 31 - 1

/** The SDK is a quarter of a second of CPU to load, so it is loaded when first needed; before, by whoever takes the time. */
export const load = () => {
  loaded ??= import("@modelcontextprotocol/sdk/client/index.js")
  return loaded
}
let loaded: Promise<typeof import("@modelcontextprotocol/sdk/client/index.js")> | undefined

/**
 * @param wire what the SDK writes to
 * @param capabilities what the client says that it can do
 * @param trace what the server is told of the span under way, with initialize
 */
export const make = (wire: McpWire, capabilities: Capabilities, trace?: TraceContext | undefined): SdkHandshake => {
  let isDone = false
  let protocolVersion: string | undefined
  const transport: Transport = {
    start: async () => {},
    send: async (message) =>
      await wire.send(trace === undefined ? (message as JsonRpcMessage) : traced(message, trace)),
    close: async () => transport.onclose?.(),
    setProtocolVersion: (version) => {
      protocolVersion = version
    },
  }
  return {
    message: (message) => transport.onmessage?.(message as Parameters<NonNullable<Transport["onmessage"]>>[0]),
    end: () => {
      if (!isDone) transport.onclose?.()
    },
    protocolVersion: () => protocolVersion,
    handshake: Effect.tryPromise({
      try: async (signal) => {
        const client = newClient(await load(), capabilities)
        signal.throwIfAborted()
        await client.connect(transport, { timeout: never })
        isDone = true
        const { name = "", version = "" } = client.getServerVersion() ?? {}
        return { name, version }
      },
      catch: inWords,
    }),
  }
}

/** The SDK writes the parameters of initialize itself. */
const traced = (message: JSONRPCMessage, trace: TraceContext): JsonRpcMessage => {
  const isOurs = "method" in message && message.method === "initialize"
  return (isOurs ? { ...message, params: { ...message.params, _meta: trace } } : message) as JsonRpcMessage
}

/** A schema's complaint is written for machines. */
const inWords = (cause: unknown): Error => {
  if (!(cause instanceof Error)) return new Error(String(cause))
  const [issue] = "issues" in cause && Array.isArray(cause.issues) ? cause.issues : []
  if (issue === undefined) return cause
  const path = Array.isArray(issue.path) && issue.path.length > 0 ? issue.path.join(".") : "its root"
  return new Error(`its answer to initialize is malformed at ${path}`, { cause })
}

const newClient = (sdk: { Client: typeof Client }, capabilities: Capabilities): Client => {
  const options: ClientOptions = { capabilities: capabilities as ClientCapabilities, jsonSchemaValidator: noValidator }
  const client = new sdk.Client({ name: "zain", version: "0" }, options)
  client.onerror = () => {}
  return client
}
