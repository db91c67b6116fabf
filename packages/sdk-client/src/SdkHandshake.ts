/**
 * Uses the official SDK's client for the handshake and for rare messages. The only module that imports it.
 */
import type { Client, ClientOptions } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { ClientCapabilities, JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import type { TraceContext } from "@zain/core/AgentConnection"
import { type JsonRpcMessage, noValidator } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type { ServerInfo } from "./AgentProfile.ts"
import type { McpWire, StdioTarget } from "./McpWire.ts"

/** The handshake of one wire. */
export interface SdkHandshake {
  /** Passes on a message that is neither a request nor part of a call. */
  readonly message: (message: JsonRpcMessage) => void
  /** Reports the end of the wire to the SDK if the handshake is incomplete. */
  readonly end: () => void
  /** Completes MCP's `initialize` and returns the server's name and its experimental capabilities; fails with the SDK's error. */
  readonly handshake: Effect.Effect<ServerInfo & { readonly experimental: object }, Error>
  /** The negotiated version of MCP; `undefined` before the handshake is complete. */
  readonly protocolVersion: () => string | undefined
}

/** The declared capabilities: see MCP, `ClientCapabilities`. */
export interface Capabilities {
  readonly elicitation?: { readonly form: object }
  readonly experimental?: Readonly<Record<string, object>>
}

/** Disables the SDK's own timeout: `connectTimeout` limits the handshake. */
const never = 2 ** 31 - 1

/** Loads the SDK when it is first needed, because loading takes 250 ms of CPU. An idle client calls this earlier. */
export const load = () => {
  loaded ??= import("@modelcontextprotocol/sdk/client/index.js")
  return loaded
}
let loaded: Promise<typeof import("@modelcontextprotocol/sdk/client/index.js")> | undefined

/**
 * @param wire the wire that the SDK writes to
 * @param target the server, whose results may have as many bytes as its messages
 * @param capabilities the capabilities that the client declares
 * @param trace the trace context that is sent with `initialize`
 */
export const make = (
  wire: McpWire,
  { maxMessageBytes }: Pick<StdioTarget, "maxMessageBytes">,
  capabilities: Capabilities,
  trace?: TraceContext | undefined,
): SdkHandshake => {
  const experimental = { ...capabilities.experimental, "zain/results": { maxBytes: maxMessageBytes } }
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
        const client = newClient(await load(), { ...capabilities, experimental })
        signal.throwIfAborted()
        await client.connect(transport, { timeout: never })
        isDone = true
        const { name = "", version = "" } = client.getServerVersion() ?? {}
        return { name, version, experimental: client.getServerCapabilities()?.experimental ?? {} }
      },
      catch: inWords,
    }),
  }
}

/** Adds the trace context to `initialize`, whose parameters the SDK writes. */
const traced = (message: JSONRPCMessage, trace: TraceContext): JsonRpcMessage => {
  const isOurs = "method" in message && message.method === "initialize"
  return (isOurs ? { ...message, params: { ...message.params, _meta: trace } } : message) as JsonRpcMessage
}

/** Replaces a schema error, which quotes JSON, by one sentence. */
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
