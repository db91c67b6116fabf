/**
 * The names of spans and attributes: OpenTelemetry's conventions for GenAI and MCP, and names with `zain.` where these
 * have none.
 *
 * @see open-telemetry/semantic-conventions-genai, docs/gen-ai: `gen-ai-agent-spans.md`, `gen-ai-metrics.md`, `mcp.md`
 */
import type * as Tracer from "effect/Tracer"
import type { Driver } from "./AgentConnection.ts"
import type { Parsed } from "./McpConnectionConfig.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpUsage } from "./McpResponse.ts"

/** The attributes of a span or a metric. */
export type Attributes = Record<string, string | number>

export const errorType = "error.type"
export const operationName = "gen_ai.operation.name"
export const tokenType = "gen_ai.token.type"
export const toolName = "gen_ai.tool.name"
export const methodName = "mcp.method.name"
export const requestId = "jsonrpc.request.id"
export const statusCode = "rpc.response.status_code"
export const sessionId = "zain.session.id"
export const turn = "zain.turn"
export const delivery = "zain.delivery"
export const operation = "zain.operation"

/** The values of `error.type` beside the reasons of `McpError`; the first is MCP's, for a result with `isError`. */
export const toolError = "tool_error"
export const interrupted = "interrupted"
export const defect = "defect"

/** The agent. Few values, so metrics may have it too. */
export const agent = ({ provider, vendor = provider }: Pick<Driver, "provider" | "vendor">): Attributes => ({
  "gen_ai.provider.name": vendor,
  "gen_ai.agent.name": provider,
})

/** The transport. Few values, so metrics may have it too. */
export const transport = ({ transport }: Pick<Parsed, "transport">): Attributes => ({
  "network.transport": transport === "stdio" ? "pipe" : "tcp",
})

/** The address of a server, without the parts of its URL that may be secret. */
export const server = (config: Pick<Parsed, "serverUrl" | "transport">): Attributes => {
  if (config.transport === "stdio") return transport(config)
  const { hostname, port, protocol } = new URL(config.serverUrl)
  return {
    ...transport(config),
    "network.protocol.name": "http",
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  }
}

/** The MCP version that the handshake agreed on. */
export const protocol = (version: string | undefined): Attributes =>
  version === undefined ? {} : { "mcp.protocol.version": version }

/** The longest name of a model or conversation in a span, in characters: a server may send anything as one. */
const maxNameLength = 128

/** The model that the configuration names. */
export const model = (name: string | undefined): Attributes =>
  name === undefined || name.length > maxNameLength ? {} : { "gen_ai.request.model": name }

/**
 * The agent's id of the conversation.
 *
 * @param redact replaces secrets in a text; an id that holds one is left out
 */
export const conversation = (
  threadId: string | undefined,
  redact: ((text: string) => string) | undefined,
): Attributes =>
  threadId === undefined || threadId.length > maxNameLength || (redact !== undefined && redact(threadId) !== threadId)
    ? {}
    : { "gen_ai.conversation.id": threadId }

/** The method of the request that the operation sent. */
export const method = ({ [methodName]: name }: Attributes): Attributes | undefined =>
  name === undefined ? undefined : { [methodName]: name }

/** The tokens of a turn, by type. Ignores values that are no counts: one `NaN` would spoil every later sum. */
export const tokens = ({ inputTokens, outputTokens }: McpUsage): Readonly<Record<string, number>> => ({
  ...(isCount(inputTokens) ? { input: inputTokens } : {}),
  ...(isCount(outputTokens) ? { output: outputTokens } : {}),
})

const isCount = (given: number | undefined): given is number => Number.isSafeInteger(given) && Number(given) >= 0

/** The tokens of a turn as attributes of its span. */
export const usage = (used: McpUsage): Attributes =>
  Object.fromEntries(Object.entries(tokens(used)).map(([type, count]) => [`gen_ai.usage.${type}_tokens`, count]))

/** How the span of an operation is named. */
export interface Operation {
  readonly name: "open" | "execute" | "close"
  readonly span: (provider: McpProvider) => string
  readonly kind: Tracer.SpanKind
  readonly attributes: Attributes
}

/** MCP's convention for the handshake. */
export const open: Operation = {
  name: "open",
  span: () => "initialize",
  kind: "client",
  attributes: { [methodName]: "initialize" },
}

/**
 * One span for both conventions: the tool that a turn calls is the agent, and MCP requires no span of its own for a
 * call that is traced already.
 */
export const execute: Operation = {
  name: "execute",
  span: (provider) => `invoke_agent ${provider}`,
  kind: "client",
  attributes: { [operationName]: "invoke_agent" },
}

/** Neither convention names the end of a session. */
export const close: Operation = {
  name: "close",
  span: (provider) => `close_session ${provider}`,
  kind: "internal",
  attributes: {},
}
