/**
 * Reads the answer to a tool call as a result or as one of the port's errors.
 */
import type { McpDelivery, McpError } from "@zain/core/McpError"
import * as SessionFailure from "@zain/core/SessionFailure"
import { isRecord, type JsonRpcFailure, type JsonRpcSuccess } from "@zain/process/JsonRpc"
import type { Redactor } from "@zain/process/Redactor"
import * as Result from "effect/Result"
import type { ToolResult } from "./AgentProfile.ts"
import * as Failure from "./Failure.ts"

/** The code of an answer that is an error; `0` where it has none. */
export const codeOf = (answer: JsonRpcSuccess | JsonRpcFailure): number | undefined => {
  const error: unknown = "error" in answer ? answer.error : undefined
  if (!isRecord(error)) return undefined
  return typeof error["code"] === "number" ? error["code"] : 0
}

/**
 * @param server what messages call the server
 * @param redact removes secrets from the server's message
 */
export const read = (
  answer: JsonRpcSuccess | JsonRpcFailure,
  server: string,
  redact: Redactor,
): Result.Result<ToolResult, McpError> => {
  const result = resultOf(answer, server, redact)
  if (Result.isFailure(result)) return Result.fail(result.failure)
  if (isToolResult(result.success)) return Result.succeed(result.success)
  const about = { server, delivery: "unknown" as const }
  return Result.fail(Failure.protocolViolation(about, "the result of a call is not a tool result"))
}

/** Reads the answer to another request than a call: any object is a result. */
export const readAny = (answer: JsonRpcSuccess | JsonRpcFailure, server: string, redact: Redactor) =>
  Result.map(resultOf(answer, server, redact), (result) => (isRecord(result) ? result : {}))

/** The result, unchecked, or the error. */
const resultOf = (
  answer: JsonRpcSuccess | JsonRpcFailure,
  server: string,
  redact: Redactor,
): Result.Result<unknown, McpError> => {
  const error: unknown = "error" in answer ? answer.error : undefined
  if (isRecord(error)) return Result.fail(failureOf(error, codeOf(answer) ?? 0, server, redact))
  return Result.succeed("result" in answer ? answer.result : undefined)
}

const failureOf = (
  { data, message: text }: Readonly<Record<string, unknown>>,
  code: number,
  server: string,
  redact: Redactor,
): McpError => {
  const message = redact(typeof text === "string" ? text : (JSON.stringify(text) ?? ""))
  const details = isRecord(data) ? data : {}
  if (typeof details["zain/option"] === "string") return Failure.optionRefused(server, message)
  if (details["zain/request"] === "not-supported") return Failure.notSupported(message)
  if (details["zain/request"] === "no-turn") return SessionFailure.noTurn()
  if (details["zain/config"] === "invalid") return Failure.configRefused(message)
  if (details["zain/thread"] === "lost") return Failure.conversationLost()
  if (details["zain/thread"] === "held") return Failure.conversationHeld(message)
  // An extension of the agent server: MCP has no member for it.
  const delivery: McpDelivery = details["zain/delivery"] === "not-sent" ? "not-sent" : "unknown"
  if (details["zain/reason"] === "stalled") return Failure.unavailable("stalled", message, { server, delivery })
  return Failure.callFailed({ server, delivery }, { code, message })
}

const isContent = (value: unknown): boolean =>
  isRecord(value) && (value["text"] === undefined || typeof value["text"] === "string")

const isToolResult = (value: unknown): value is ToolResult =>
  isRecord(value) &&
  (value["content"] === undefined || (Array.isArray(value["content"]) && value["content"].every(isContent))) &&
  (value["structuredContent"] === undefined || isRecord(value["structuredContent"])) &&
  (value["isError"] === undefined || typeof value["isError"] === "boolean")
