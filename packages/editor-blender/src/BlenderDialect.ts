/**
 * The messages of Blender's bridge: JSON-RPC 2.0, with a token first.
 *
 * @see PROTOCOL.md
 */

import { DiscoveryError } from "@zain/editor-link/domain/DomainError"
import type { Dialect, EditorFailure, Hello, Incoming } from "@zain/editor-link/domain/EditorProfile"
import { depthOf } from "@zain/editor-link/infrastructure/link/MessageDepth"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { BridgeFailure } from "./Bridge.ts"
import * as ErrorCodes from "./ErrorCodes.ts"

/** How deep a message may be that the bridge takes. */
const maxDepth = 64

/** How many suggestions are repeated, and how long a text of them may be, in characters. */
const maxSuggestions = 16
const maxTextLength = 2_000

/** Names of failures that JSON-RPC and the bridge have numbers for. */
const named: Readonly<Record<number, string>> = {
  [-32_601]: "OPERATION_UNSUPPORTED",
  [-32_602]: "INVALID_INPUT",
  [-32_000]: "SYSTEM_ERROR",
  [-32_800]: "OPERATION_FAILED",
}

const part = (one: unknown): string | number => (typeof one === "number" ? one : String(one).slice(0, maxTextLength))

const texts = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [])
    .filter((one) => typeof one === "string")
    .slice(0, maxSuggestions)
    .map((one: string) => one.slice(0, maxTextLength))

/** A failure of the bridge: all of it in sentences, and its members as `details`. */
export const failureOf = (error: Readonly<Record<string, unknown>>): EditorFailure => {
  const data = isRecord(error["data"]) ? error["data"] : {}
  const { code: own, details, line, path } = data
  const suggestions = texts(data["suggestions"])
  const failure: BridgeFailure = {
    code: typeof own === "string" ? own : (named[Number(error["code"])] ?? "INTERNAL_SERVER_ERROR"),
    message:
      typeof error["message"] === "string"
        ? error["message"].slice(0, maxTextLength)
        : "Blender reported a failure without a message.",
    ...(Array.isArray(path) && path.length > 0 ? { path: path.map(part) } : {}),
    ...(typeof details === "string" ? { details: details.slice(0, maxTextLength) } : {}),
    ...(typeof line === "number" ? { line } : {}),
    ...(suggestions.length === 0 ? {} : { suggestions }),
  }
  const { code, ...members } = failure
  return {
    message: ErrorCodes.sentences(ErrorCodes.make(failure)),
    reason: "editor",
    code,
    // The bridge refused the request itself: nothing was carried out.
    details: typeof own === "string" ? members : { ...members, rpcCode: error["code"] },
  }
}

const read = (message: unknown): Incoming => {
  if (!isRecord(message)) return { _tag: "Noise" }
  const { error, id, method, result } = message
  if (method === "scene.changed") return { _tag: "Notice", kind: "content-changed" }
  if (method !== undefined || !(typeof id === "string" || id === null)) return { _tag: "Noise" }
  const answered = id ?? undefined
  if (isRecord(error)) return { _tag: "Answer", id: answered, outcome: Result.fail(failureOf(error)) }
  return "result" in message && answered !== undefined
    ? { _tag: "Answer", id: answered, outcome: Result.succeed(result) }
    : { _tag: "Noise" }
}

let count = 0

const refused = new DiscoveryError({
  message:
    "Blender's bridge rejected the first message of this connection. Restart the bridge in Blender, and try again.",
  delivery: "not-sent",
  reason: "not-this-editor",
})

export const dialect: Dialect = {
  nextId: () => String(++count),
  request: (id, method, params) => ({ jsonrpc: "2.0", id, method, params }),
  read,
  refuse: (_, params) =>
    // The message itself is one level.
    depthOf(params, maxDepth) >= maxDepth
      ? `Blender's bridge takes messages of ${maxDepth} levels at most.`
      : undefined,
  cancel: (id) => ({ method: "cancel", params: { id } }),
  hello: Effect.fnUntraced(function* (ask, { token }) {
    const answer = yield* ask("hello", { token: token === undefined ? "" : Redacted.value(token) })
    if (Result.isFailure(answer) || !isRecord(answer.success)) return yield* refused
    const { file } = answer.success
    const hello: Hello = typeof file === "string" && file !== "" ? { project: file } : {}
    return hello
  }),
}
