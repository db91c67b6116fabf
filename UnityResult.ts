/**
 * What an answer of Unity's package means to clients.
 *
 * @see Wire facts, `unity`
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import type { EditorFailure, EditorProfile } from "../domain/EditorProfile.ts"
import * as OperationResult from "../domain/OperationResult.ts"
import * as UnityFailure from "./UnityFailure.ts"

/** How images begin in Base64. */
const imageTypes: ReadonlyArray<readonly [beginning: string, mimeType: string]> = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
]

export const mimeTypeOf = (base64: string): string | undefined =>
  imageTypes.find(([beginning]) => base64.startsWith(beginning))?.[1]

/**
 * - `value`: the result itself, or the data of older packages
 * - `warnings`: what it warns of
 * - `state`: of the editor, where the package reports it
 */
export interface Answer {
  readonly value: unknown
  readonly warnings?: unknown
  readonly state?: Readonly<Record<string, unknown>>
}

/** The parts of an envelope, unless it holds a failure. */
export const answerOf = (envelope: unknown): Result.Result<Answer, EditorFailure> => {
  if (!isRecord(envelope)) return Result.succeed({ value: envelope })
  const { data, editorState, warnings } = envelope
  const value = "result" in envelope ? envelope["result"] : data
  const failure = UnityFailure.within(value)
  if (failure !== undefined) return Result.fail(failure)
  return Result.succeed({
    value,
    ...(Array.isArray(warnings) && warnings.length > 0 ? { warnings } : {}),
    ...(isRecord(editorState) ? { state: editorState } : {}),
  })
}

/** @param more texts of ours that follow */
export const present = ({ state, value, warnings }: Answer, more: ReadonlyArray<string> = []) => {
  const { base64Data, ...rest } = isRecord(value) ? value : {}
  const mimeType = typeof base64Data === "string" ? mimeTypeOf(base64Data) : undefined
  const content: Array<OperationResult.Content> = [OperationResult.text(mimeType === undefined ? value : rest)]
  if (warnings !== undefined) content.push({ type: "text", text: `Warnings: ${JSON.stringify(warnings, undefined, 2)}` })
  for (const text of more) content.push({ type: "text", text })
  if (mimeType !== undefined) content.push({ type: "image", data: String(base64Data), mimeType })
  return { content, ...(state === undefined ? {} : { meta: { editorState: state } }) } satisfies OperationResult.OperationResult
}

export const result: EditorProfile["result"] = (envelope) => Result.map(answerOf(envelope), (answer) => present(answer))
