/**
 * The messages of the unity-mcp-server package in Unity: `{id, type, params}` and an envelope around each answer.
 *
 * @see docs/internals/editor-server-accepted.md, 004.9 and 004.13
 */

import type { Arguments } from "@zain/editor-link/domain/Catalogue"
import type { Dialect, EditorFailure, Hello, Incoming } from "@zain/editor-link/domain/EditorProfile"
import { depthOf } from "@zain/editor-link/infrastructure/link/MessageDepth"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Unity's code for a command that it does not have. */
export const unknownCommand = "UNKNOWN_COMMAND"

/** How deep a message may be, which Unity reads. */
const maxDepth = 64

let count = 0

/** A text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

const advice: Readonly<Record<string, string>> = {
  PLAY_MODE_BLOCKED: " Call stop_game first.",
}

/** A failure in Unity's own words. */
export const failureOf = (message: string, code: unknown, details: unknown): EditorFailure => ({
  message: `${message}${typeof code === "string" ? (advice[code] ?? "") : ""}`,
  reason: "editor",
  ...(text(code) === undefined ? {} : { code: String(code) }),
  ...(isRecord(details) ? { details } : details === undefined || details === null ? {} : { details: { details } }),
})

/** What Unity answers to a message that it could not read: the cause stands where the id should. */
const unread: ReadonlyArray<unknown> = ["JSON_ERROR", "PARSE_ERROR"]

const read = (message: unknown): Incoming => {
  if (!isRecord(message) || typeof message["id"] !== "string") return { _tag: "Noise" }
  const { code, details, error, id, status, success } = message
  if (status === "error" || (success === false && status !== "success")) {
    const isUnread = code === null && unread.includes(error)
    const said = isUnread ? id : (text(error) ?? "Unity reported a failure without a message.")
    return { _tag: "Answer", id: isUnread ? undefined : id, outcome: Result.fail(failureOf(said, code, details)) }
  }
  if (status !== "success" && success !== true) return { _tag: "Noise" }
  return { _tag: "Answer", id, outcome: Result.succeed(message) }
}

export const dialect: Dialect = {
  nextId: () => String(++count),
  request: (id, type, params: Arguments) => ({ id, type, params }),
  read,
  refuse: (_, params) =>
    // The message itself is one level.
    depthOf(params, maxDepth) >= maxDepth ? `Unity takes messages of ${maxDepth} levels at most.` : undefined,
  hello: Effect.fnUntraced(function* (ask) {
    // One that does not know the command has answered all the same.
    const answer = yield* ask("get_editor_info", {})
    const envelope: unknown = Result.isSuccess(answer) ? answer.success : undefined
    const info = isRecord(envelope) ? (envelope["result"] ?? envelope["data"]) : undefined
    const project = isRecord(info) ? text(info["projectRoot"]) : undefined
    const hello: Hello = project === undefined ? {} : { project }
    return hello
  }),
}
