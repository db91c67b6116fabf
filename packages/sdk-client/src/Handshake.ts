/**
 * MCP's handshake: `initialize`, its answer, and `notifications/initialized`.
 *
 * @see Model Context Protocol 2025-11-25, lifecycle, initialization
 */
import type { TraceContext } from "@zain/core/AgentConnection"
import { isAnswer, isRecord, type JsonRpcMessage, revisions } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type { ServerInfo } from "./AgentProfile.ts"
import type { McpWire, StdioTarget } from "./McpWire.ts"

/** The server, as it introduced itself. */
export interface Introduced extends ServerInfo {
  /** The version of MCP that both sides speak. */
  readonly protocolVersion: string
  /** The server's experimental capabilities, by name. */
  readonly experimental: object
}

/** The handshake of one wire. */
export interface Handshake {
  /** Receives the messages that belong to no call: one of them is the answer. */
  readonly message: (message: JsonRpcMessage) => void
  /** Completes the handshake; fails with why the answer is not accepted. Does not end with the wire. */
  readonly run: Effect.Effect<Introduced, Error>
}

/** The declared capabilities: see MCP, `ClientCapabilities`. */
export interface Capabilities {
  readonly elicitation?: { readonly form: object }
  readonly experimental?: Readonly<Record<string, object>>
}

/** As the official SDK numbers its first request. Calls have strings. */
const id = 0

/**
 * @param target the server, whose results may have as many bytes as its messages
 * @param capabilities the capabilities that the client declares
 * @param trace the trace context that is sent with `initialize`
 */
export const make = (
  wire: McpWire,
  { maxMessageBytes }: Pick<StdioTarget, "maxMessageBytes">,
  capabilities: Capabilities,
  trace?: TraceContext | undefined,
): Handshake => {
  const experimental = { ...capabilities.experimental, "zain/results": { maxBytes: maxMessageBytes } }
  const params = {
    protocolVersion: revisions[0],
    capabilities: { ...capabilities, experimental },
    clientInfo: { name: "zain", version: "0" },
    ...(trace === undefined ? {} : { _meta: trace }),
  }
  let settle = (_answer: JsonRpcMessage) => {}
  const answer = Effect.callback<JsonRpcMessage>((resume) => {
    settle = (message) => resume(Effect.succeed(message))
    wire.send({ jsonrpc: "2.0", id, method: "initialize", params })
  })
  return {
    message: (message) => {
      // Some servers answer with the id as a string.
      const { id: given }: { readonly id?: unknown } = isAnswer(message) ? message : {}
      if (given === id || given === String(id)) settle(message as JsonRpcMessage)
    },
    run: Effect.gen(function* () {
      const introduced = yield* read(yield* answer)
      yield* Effect.promise(async () => wire.send({ jsonrpc: "2.0", method: "notifications/initialized" }))
      return introduced
    }),
  }
}

const read = (answer: JsonRpcMessage): Effect.Effect<Introduced, Error> => {
  const fail = (why: string) => Effect.fail(new Error(why))
  if ("error" in answer) {
    const { code, message }: Readonly<Record<string, unknown>> = isRecord(answer.error) ? answer.error : {}
    return typeof code === "number" && typeof message === "string"
      ? fail(`MCP error ${code}: ${message}`)
      : fail("its answer to initialize is malformed at error")
  }
  const result: unknown = "result" in answer ? answer.result : undefined
  const wrong = shape.find(([path, is]) => !is(at(result, path)))
  if (wrong !== undefined) return fail(`its answer to initialize is malformed at ${wrong[0] || "its root"}`)
  const { capabilities, protocolVersion, serverInfo } = result as {
    readonly capabilities: { readonly experimental?: object }
    readonly protocolVersion: string
    readonly serverInfo: ServerInfo
  }
  if (!revisions.includes(protocolVersion))
    return fail(`Server's protocol version is not supported: ${protocolVersion}`)
  const { name, version } = serverInfo
  return Effect.succeed({ name, version, protocolVersion, experimental: capabilities.experimental ?? {} })
}

const at = (value: unknown, path: string): unknown =>
  path === "" ? value : path.split(".").reduce((inner, key) => (isRecord(inner) ? inner[key] : undefined), value)

type Is = (value: unknown) => boolean
const isText: Is = (value) => typeof value === "string"
const isFlag: Is = (value) => typeof value === "boolean"
/** Where official clients take any object: some servers send `[]`. */
const isObject: Is = (value) => typeof value === "object" && value !== null
const optional =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value)

/** What a session, and a list of tools, relies on: see MCP, `InitializeResult`. */
const shape: ReadonlyArray<readonly [path: string, is: Is]> = [
  ["", isRecord],
  ["protocolVersion", isText],
  ["capabilities", isRecord],
  ["capabilities.experimental", optional((value) => isRecord(value) && Object.values(value).every(isObject))],
  ["capabilities.logging", optional(isObject)],
  ["capabilities.completions", optional(isObject)],
  ...["prompts", "resources", "tools"].flatMap((name) => [
    [`capabilities.${name}`, optional(isRecord)] as const,
    [`capabilities.${name}.listChanged`, optional(isFlag)] as const,
  ]),
  ["capabilities.resources.subscribe", optional(isFlag)],
  ["serverInfo", isRecord],
  ["serverInfo.name", isText],
  ["serverInfo.version", isText],
  ["serverInfo.title", optional(isText)],
  ["instructions", optional(isText)],
]
