/**
 * The messages of the MCP package in Unity: commands by their type, each answered in an envelope.
 *
 * @see Wire facts, `unity`
 */
import * as JsonBounds from "@zain/process/JsonBounds"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Dialect, Incoming } from "../domain/EditorProfile.ts"
import * as UnityFailure from "./UnityFailure.ts"
import { answerOf } from "./UnityResult.ts"

/** How deep a message may be: Unity's reader of JSON takes no more. */
const maxDepth = 64

/** What Unity writes in place of a cause, which is then in place of the id. */
const unread = ["JSON_ERROR", "PARSE_ERROR"]
const longestCause = 500

let count = 0

const isOurs = (id: string) => /^\d+$/.test(id)

const read = (message: unknown): Incoming => {
  if (!isRecord(message)) return { _tag: "Noise" }
  const { code, error, status, success } = message
  const id = typeof message["id"] === "number" ? String(message["id"]) : message["id"]
  if (typeof id !== "string") return { _tag: "Noise" }
  if (status === "error" || success === false) {
    const isUnread = unread.includes(String(error)) && (code ?? null) === null && !isOurs(id)
    const failure = UnityFailure.ofError(isUnread ? { error: id.slice(0, longestCause), code: error } : message)
    return { _tag: "Answer", id: isUnread ? undefined : id, outcome: Result.fail(failure) }
  }
  return status === "success" || success === true
    ? { _tag: "Answer", id, outcome: Result.succeed(message) }
    : { _tag: "Noise" }
}

export const dialect: Dialect = {
  nextId: () => String(++count),
  request: (id, type, params) => ({ id, type, params }),
  read,
  refuse: (text) =>
    JsonBounds.gauge({ maxDepth, maxElements: Number.POSITIVE_INFINITY })(Buffer.from(text)) === "depth"
      ? `Unity takes messages of ${maxDepth} levels at most, two of them around the arguments' own members.`
      : undefined,
  hello: Effect.fnUntraced(function* (ask) {
    // Older packages do not have this command: that is an answer too.
    const info = Result.flatMap(yield* ask("get_editor_info", {}), answerOf)
    const project = Result.isSuccess(info) && isRecord(info.success.value) ? info.success.value["projectRoot"] : undefined
    return typeof project === "string" && project !== "" ? { project } : {}
  }),
}

/** The answer to a text that is read before any command: also while Unity's main thread is busy. */
export const isPong = (message: unknown): boolean =>
  isRecord(message) &&
  [message, message["result"], message["data"]].some((part) => isRecord(part) && part["message"] === "pong")
