/**
 * The metrics of operations. Each is recorded once per operation, by attributes with few values.
 *
 * Effect's exporters read the unit of a metric from its attribute `unit`.
 */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { McpUsage } from "./McpResponse.ts"
import * as Names from "./SemanticConventions.ts"

/** Boundaries in seconds, from the conventions for GenAI. */
const operationSeconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
/** Boundaries in seconds, from the conventions for MCP. */
const protocolSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
/** Boundaries in tokens, from the conventions for GenAI. */
const tokenCounts = Array.from({ length: 14 }, (_, power) => 4 ** power)

const attributes = (unit: string, given: Names.Attributes): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
  unit,
})

/** Records how long a turn took, from `execute` to its end. */
export const turnTook = (seconds: number, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.histogram("gen_ai.client.operation.duration", {
    description: "GenAI operation duration.",
    attributes: attributes("s", by),
    boundaries: operationSeconds,
  }).updateUnsafe(seconds, context)

/** Records how long a request to a server took. */
export const requestTook = (seconds: number, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.histogram("mcp.client.operation.duration", {
    description: "The duration of the MCP request or notification as observed on the sender.",
    attributes: attributes("s", by),
    boundaries: protocolSeconds,
  }).updateUnsafe(seconds, context)

/** Records the tokens that a turn used. */
export const tokensUsed = (usage: McpUsage, by: Names.Attributes, context: Context.Context<never>): void => {
  for (const [type, count] of Object.entries(Names.tokens(usage))) {
    Metric.histogram("gen_ai.client.token.usage", {
      description: "Number of input and output tokens used.",
      attributes: attributes("{token}", { ...by, [Names.tokenType]: type }),
      boundaries: tokenCounts,
    }).updateUnsafe(count, context)
  }
}

/** Counts a failed operation. */
export const failed = (by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.counter("zain.client.errors", {
    description: "Operations that failed, by the reason of their error.",
    attributes: attributes("{error}", by),
    incremental: true,
  }).updateUnsafe(1, context)

/** Adds to the number of open sessions. */
export const sessions = (change: 1 | -1, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.counter("zain.client.session.count", {
    description: "Sessions that are open.",
    attributes: attributes("{session}", by),
  }).updateUnsafe(change, context)

/** Records how long a session was open. */
export const sessionTook = (seconds: number, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.histogram("mcp.client.session.duration", {
    description: "The duration of the MCP session as observed on the MCP client.",
    attributes: attributes("s", by),
    boundaries: protocolSeconds,
  }).updateUnsafe(seconds, context)
