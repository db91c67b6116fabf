/**
 * Calls as Unity understands them: some parameters have another form there, some are ignored, and some commands had other names.
 *
 * @see What Unity really understands
 */

import type { Arguments, ToolContext } from "@zain/editor-link/domain/Catalogue"
import { type DomainError, ToolExecutionError } from "@zain/editor-link/domain/DomainError"
import { type OperationResult, text } from "@zain/editor-link/domain/OperationResult"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { rowOf } from "./ToolRows.ts"
import { unknownCommand } from "./UnityDialect.ts"
import * as UnityResult from "./UnityResult.ts"

type SendOptions = Parameters<ToolContext["send"]>[2]

/** What Unity answers a command, by the name that it has there. */
export const send = (
  context: ToolContext,
  name: string,
  params: Arguments,
  options?: SendOptions,
): Effect.Effect<unknown, DomainError> =>
  (rowOf(name)?.formerNames ?? []).reduce(
    (asked, former) =>
      Effect.catch(asked, (error) =>
        error.code === unknownCommand
          ? // Where the older package does not know it either, the tool is missed by its own name.
            Effect.mapError(context.send(former, params, options), (again) =>
              again.code === unknownCommand ? error : again,
            )
          : Effect.fail(error),
      ),
    context.send(name, params, options),
  )

/** The result in an answer, or the failure. */
export const resultOf = (answer: unknown): Effect.Effect<OperationResult, DomainError> => {
  const result = UnityResult.read(answer)
  return Result.isSuccess(result)
    ? Effect.succeed(result.success)
    : Effect.fail(new ToolExecutionError({ ...result.failure, delivery: "answered" }))
}

/** Arguments without some of them. */
export const without = (args: Arguments, ...names: ReadonlyArray<string>): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)))

const isSet = (value: unknown): boolean => value !== undefined

/** Console messages count as errors under three names. */
const errorTypes = ["Error", "Exception", "Assert"]

/** How arguments are sent, where Unity takes another form. */
const forms: Readonly<Record<string, (args: Arguments) => Arguments>> = {
  simulate_ui_input: (args) => {
    const { elementPath, inputData, inputSequence, inputType } = args
    if (isSet(inputSequence) || !isSet(inputType)) return without(args, "elementPath", "inputType", "inputData")
    return {
      ...without(args, "elementPath", "inputType", "inputData"),
      inputSequence: [{ type: inputType, params: { elementPath, ...(isSet(inputData) ? { inputData } : {}) } }],
    }
  },
  read_console: (args) => {
    const { logTypes, raw } = args
    const sent = without(args, "raw", "sinceTimestamp", "untilTimestamp")
    if (raw === true || !Array.isArray(logTypes)) return sent
    return { ...sent, logTypes: [...new Set(logTypes.flatMap((type) => (type === "Error" ? errorTypes : [type])))] }
  },
  analyze_screenshot: (args) => without(args, "base64Data", "prompt"),
}

const at = (args: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), args)

/** What a result says about arguments that had no effect. */
const notes = (name: string, args: Arguments): OperationResult["content"] => {
  const found = (rowOf(name)?.ignored ?? []).filter((path) => isSet(at(args, path)))
  return found.length === 0
    ? []
    : [text(`Not applied: Unity ignores ${found.map((path) => `\`${path}\``).join(", ")}.`)]
}

/** How close a time is to another that was taken with it, in milliseconds. */
const sameTime = 5_000

const timeOf = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN)

/**
 * Console messages within a time: Unity reads the limits, and ignores them. Some packages stamp messages with the time at which
 * they are read, which says nothing: those are all kept, and `isApplied` is false.
 */
const withinTime = (answer: unknown, { sinceTimestamp, untilTimestamp }: Arguments) => {
  const [since, until] = [timeOf(sinceTimestamp), timeOf(untilTimestamp)]
  const value = UnityResult.valueIn(answer)
  if (Number.isNaN(since) && Number.isNaN(until)) return { answer, isApplied: true }
  if (!isRecord(answer) || !isRecord(value) || !Array.isArray(value["logs"])) return { answer, isApplied: false }
  const { editorState } = answer
  const read = timeOf(isRecord(editorState) ? editorState["timestamp"] : undefined)
  const stamped = value["logs"].map((log) => ({ log, time: timeOf(isRecord(log) ? log["timestamp"] : undefined) }))
  const isMeant = stamped.some(({ time }) => !Number.isNaN(time) && !(Math.abs(time - read) <= sameTime))
  if (!isMeant) return { answer, isApplied: stamped.length === 0 }
  const logs = stamped.flatMap(({ log, time }) => (time < since || time > until ? [] : [log]))
  return { answer: { ...answer, result: { ...value, logs } }, isApplied: true }
}

const untimed = text(
  "Not applied: Unity does not report when these messages were written (`sinceTimestamp`, `untilTimestamp`).",
)

/** A tool that Unity does. */
export const call = Effect.fnUntraced(function* (
  name: string,
  args: Arguments,
  context: ToolContext,
  options?: SendOptions,
) {
  const answer = yield* send(context, name, forms[name]?.(args) ?? args, options)
  const timed = name === "read_console" ? withinTime(answer, args) : { answer, isApplied: true }
  const result = yield* resultOf(timed.answer)
  return { ...result, content: [...result.content, ...(timed.isApplied ? [] : [untimed]), ...notes(name, args)] }
})
