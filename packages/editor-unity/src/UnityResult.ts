/**
 * What an answer of Unity means: most failures arrive inside a success.
 *
 * @see docs/internals/editor-server-accepted.md, 004.13 and 004.22
 */

import type { EditorFailure } from "@zain/editor-link/domain/EditorProfile"
import { type Content, type OperationResult, text as textContent } from "@zain/editor-link/domain/OperationResult"
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import { failureOf, text } from "./UnityDialect.ts"

type Json = Readonly<Record<string, unknown>>

/** The value in an envelope: newer packages call it `result`, older ones `data`. */
export const valueIn = (envelope: unknown): unknown =>
  isRecord(envelope) ? (envelope["result"] ?? envelope["data"]) : undefined

/** The causes in a list of results or errors. */
const causes = (list: unknown): string | undefined => {
  if (!Array.isArray(list)) return undefined
  const found = list.flatMap((one) => text(isRecord(one) ? one["error"] : one) ?? [])
  return found.length === 0 ? undefined : found.join("; ")
}

const said = (value: Json): string => {
  const message = text(value["message"]) ?? causes(value["results"]) ?? "Unity reported a failure without a message"
  const solution = text(value["solution"])
  return solution === undefined ? message : `${message} ${solution}`
}

/** The failure inside a success, if it is one. */
const failureIn = (value: unknown): EditorFailure | undefined => {
  if (!isRecord(value)) return undefined
  const { code, data, details, error, status, success } = value
  // Tests that failed are a result.
  if (status === "completed") return undefined
  if (text(error) !== undefined) return failureOf(String(error), code, details)
  if (isRecord(error) && text(error["message"]) !== undefined)
    return failureOf(said(error), code ?? error["code"], error["context"])
  // A sequence of inputs calls itself a success, whatever becomes of its steps.
  const failedStep = success === true ? causes(value["results"]) : undefined
  if (failedStep !== undefined) return failureOf(failedStep, code, details)
  if (success === false || status === "error") return failureOf(said(value), code, details)
  if (isRecord(data) && data["success"] === false) {
    return failureOf(causes(data["errors"]) ?? said(data), data["code"] ?? code, details)
  }
  return undefined
}

/** The type of an image by how its Base64 begins. */
const mimeTypeOf = (data: string): string => (data.startsWith("/9j/") ? "image/jpeg" : "image/png")

const contents = (value: unknown): ReadonlyArray<Content> => {
  if (!isRecord(value) || typeof value["base64Data"] !== "string") return [textContent(value ?? null)]
  const { base64Data: data, ...rest } = value
  return [textContent(rest), { type: "image", data, mimeType: mimeTypeOf(data) }]
}

/** @param envelope an answer that Unity calls a success */
export const read = (envelope: unknown): Result.Result<OperationResult, EditorFailure> => {
  const value = valueIn(envelope)
  const failure = failureIn(value)
  if (failure !== undefined) return Result.fail(failure)
  const { editorState, warnings } = isRecord(envelope) ? envelope : {}
  const hasWarnings = Array.isArray(warnings) && warnings.length > 0
  return Result.succeed({
    content: [...contents(value), ...(hasWarnings ? [textContent({ warnings })] : [])],
    ...(isRecord(editorState) ? { meta: { editorState } } : {}),
  })
}
