/**
 * The failures of Unity's package, in all the shapes that they have.
 *
 * @see Wire facts, `unity`
 */
import { isRecord } from "@zain/process/JsonRpc"
import type { EditorFailure } from "../domain/EditorProfile.ts"

type Members = Readonly<Record<string, unknown>>

/** What a command answers that this package does not have. */
export const unknownCommand = "UNKNOWN_COMMAND"

/** What to do about a failure, by its code. */
const advice: Readonly<Record<string, string>> = {
  [unknownCommand]:
    "Update the Unity package of this project, or install what the command needs, such as the Input System.",
  PLAY_MODE_BLOCKED: "Call stop_game first.",
  PLAY_MODE_REQUIRED: "Call play_game first.",
}

const nonEmpty = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

/** @param parts texts that follow each other; what is no text is passed over */
const words = (parts: ReadonlyArray<unknown>): string => {
  const texts = parts.flatMap((part) => nonEmpty(part) ?? [])
  return texts.length > 1 ? texts.map(sentence).join(" ") : (texts[0] ?? "Unity reported a failure without a message.")
}

/** Members that say that it is a failure, and are read elsewhere. */
const read = ["error", "code", "status", "success", "message", "id", "editorState"]

const detailsOf = (whole: Members): Members => {
  const { details } = whole
  if (isRecord(details)) return details
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !read.includes(name)))
}

/** @param parts what the message is made of */
const failure = (parts: ReadonlyArray<unknown>, code: unknown, details: Members): EditorFailure => {
  const known = nonEmpty(code)
  return {
    message: words([...parts, known === undefined ? undefined : advice[known]]),
    reason: "editor",
    ...(known === undefined ? {} : { code: known }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  }
}

/** The failure of an answer whose status is an error. */
export const ofError = (answer: Members): EditorFailure =>
  failure([answer["error"], answer["error"] === undefined ? answer["message"] : undefined], answer["code"], detailsOf(answer))

/** The causes of actions that failed one by one. */
const causesOf = (results: unknown): ReadonlyArray<unknown> =>
  Array.isArray(results) ? results.map((result) => (isRecord(result) ? result["error"] : undefined)) : []

/** The failure that an answer of success holds, if it does. */
export const within = (result: unknown): EditorFailure | undefined => {
  if (!isRecord(result)) return undefined
  const { code, data, error, message, results, solution, status, success } = result
  if (nonEmpty(error) !== undefined) return failure([error, solution], code, detailsOf(result))
  if (isRecord(error) && nonEmpty(error["message"]) !== undefined) {
    const { code: own, message, ...details } = error
    return failure([message, details["solution"]], own ?? code, details)
  }
  // The tests that failed are the result of a test run that did not.
  if (success === false && status !== "completed") {
    return failure([message, solution, ...causesOf(results)], code, detailsOf(result))
  }
  if (status === "error") return failure([message], code, detailsOf(result))
  if (isRecord(data) && data["success"] === false) {
    const errors = Array.isArray(data["errors"]) ? data["errors"] : [data["error"] ?? data["message"]]
    return failure(errors, data["code"] ?? code, data)
  }
  return undefined
}
