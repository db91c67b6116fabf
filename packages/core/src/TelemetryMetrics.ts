/**
 * What is counted and measured: once an operation, by attributes that only ever take a few values.
 *
 * Effect's exporters read the unit of a metric from its attribute `unit`.
 */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { McpUsage } from "./McpResponse.ts"
import * as Names from "./SemanticConventions.ts"

/** Boundaries in seconds, as the conventions for GenAI advise. */
const operationSeconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
/** Boundaries in seconds, as the conventions for MCP advise. */
const protocolSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
/** Boundaries in tokens, as the conventions for GenAI advise. */
const tokenCounts = Array.from({ length: 14 }, (_, power) => 4 ** power)

const attributes = (unit: string, given: Names.Attributes): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
  unit,
})

/** How long a turn took, from `execute` to its end. */
export const turnTook = (seconds: number, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.histogram("gen_ai.client.operation.duration", {
    description: "GenAI operation duration.",
    attributes: attributes("s", by),
    boundaries: operationSeconds,
  }).updateUnsafe(seconds, context)

/** How long a request to a server took. */
export const requestTook = (seconds: number, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.histogram("mcp.client.operation.duration", {
    description: "The duration of the MCP request or notification as observed on the sender.",
    attributes: attributes("s", by),
    boundaries: protocolSeconds,
  }).updateUnsafe(seconds, context)

/** What a turn used. */
export const tokensUsed = (usage: McpUsage, by: Names.Attributes, context: Context.Context<never>): void => {
  for (const [type, count] of Object.entries(Names.tokens(usage))) {
    Metric.histogram("gen_ai.client.token.usage", {
      description: "Number of input and output tokens used.",
      attributes: attributes("{token}", { ...by, [Names.tokenType]: type }),
      boundaries: tokenCounts,
    }).updateUnsafe(count, context)
  }
}

/** An operation failed. */
export const failed = (by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.counter("zain.client.errors", {
    description: "Operations that failed, by the reason of their error.",
    attributes: attributes("{error}", by),
    incremental: true,
  }).updateUnsafe(1, context)

/** How many sessions there are more, or fewer, than before. */
export const sessions = (change: 1 | -1, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.counter("zain.client.session.count", {
    description: "Sessions that are open.",
    attributes: attributes("{session}", by),
  }).updateUnsafe(change, context)

/** How long a session was open. */
export const sessionTook = (seconds: number, by: Names.Attributes, context: Context.Context<never>): void =>
  Metric.histogram("mcp.client.session.duration", {
    description: "The duration of the MCP session as observed on the MCP client.",
    attributes: attributes("s", by),
    boundaries: protocolSeconds,
  }).updateUnsafe(seconds, context)
