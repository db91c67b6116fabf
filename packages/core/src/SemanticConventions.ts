/**
 * What spans, attributes and metrics are called: OpenTelemetry's conventions for GenAI and for MCP, and names of our
 * own for what has none there.
 *
 * @see open-telemetry/semantic-conventions-genai, docs/gen-ai: `gen-ai-agent-spans.md`, `gen-ai-metrics.md`, `mcp.md`
 */
import type * as Tracer from "effect/Tracer"
import type { Driver } from "./AgentConnection.ts"
import type { Parsed } from "./McpConnectionConfig.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpUsage } from "./McpResponse.ts"

/** What a span says about its operation. */
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

/** What `error.type` says beside the reasons of `McpError`; the first is MCP's word for a result with `isError`. */
export const toolError = "tool_error"
export const interrupted = "interrupted"
export const defect = "defect"

/** Who works. Bounded: for spans and for metrics. */
export const agent = ({ provider, vendor = provider }: Pick<Driver, "provider" | "vendor">): Attributes => ({
  "gen_ai.provider.name": vendor,
  "gen_ai.agent.name": provider,
})

/** How a server is reached. Bounded too. */
export const transport = ({ transport }: Pick<Parsed, "transport">): Attributes => ({
  "network.transport": transport === "stdio" ? "pipe" : "tcp",
})

/** Where a server is, without anything of its URL that could be a secret. */
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

/** Which MCP was agreed on, once it is. */
export const protocol = (version: string | undefined): Attributes =>
  version === undefined ? {} : { "mcp.protocol.version": version }

/** A longer name is none, and whoever keeps spans or series would pay for it. */
const longest = 128

/** The model that was asked for, where one was. */
export const model = (name: string | undefined): Attributes =>
  name === undefined || name.length > longest ? {} : { "gen_ai.request.model": name }

/**
 * The agent's own name for the conversation, where it told.
 *
 * @param redact takes secrets out of a text: a name that holds one is not told
 */
export const conversation = (
  threadId: string | undefined,
  redact: ((text: string) => string) | undefined,
): Attributes =>
  threadId === undefined || threadId.length > longest || (redact !== undefined && redact(threadId) !== threadId)
    ? {}
    : { "gen_ai.conversation.id": threadId }

/** Which request was made of the server, where one was. */
export const method = ({ [methodName]: name }: Attributes): Attributes | undefined =>
  name === undefined ? undefined : { [methodName]: name }

/** The tokens of a turn, by type, where the agent told. Sums never recover from a number that is none. */
export const tokens = ({ inputTokens, outputTokens }: McpUsage): Readonly<Record<string, number>> => ({
  ...(isCount(inputTokens) ? { input: inputTokens } : {}),
  ...(isCount(outputTokens) ? { output: outputTokens } : {}),
})

const isCount = (given: number | undefined): given is number => Number.isSafeInteger(given) && Number(given) >= 0

/** The tokens of a turn, as attributes of its span. */
export const usage = (used: McpUsage): Attributes =>
  Object.fromEntries(Object.entries(tokens(used)).map(([type, count]) => [`gen_ai.usage.${type}_tokens`, count]))

/** An operation as its span tells it. */
export interface Operation {
  readonly name: "open" | "execute" | "close"
  readonly span: (provider: McpProvider) => string
  readonly kind: Tracer.SpanKind
  readonly attributes: Attributes
}

/** MCP's own span of the handshake. */
export const open: Operation = {
  name: "open",
  span: () => "initialize",
  kind: "client",
  attributes: { [methodName]: "initialize" },
}

/**
 * One span of both conventions: the tool that a turn calls is the agent, and MCP asks for no span of its own where the
 * call is traced already.
 */
export const execute: Operation = {
  name: "execute",
  span: (provider) => `invoke_agent ${provider}`,
  kind: "client",
  attributes: { [operationName]: "invoke_agent" },
}

/** Neither convention knows the end of a session. */
export const close: Operation = {
  name: "close",
  span: (provider) => `close_session ${provider}`,
  kind: "internal",
  attributes: {},
}
