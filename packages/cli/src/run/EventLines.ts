/**
 * Reports a run as lines of JSON: the session, each event, and the outcome.
 */
import * as McpError from "@zain/core/McpError"
import * as McpEvents from "@zain/core/McpEvents"
import { McpResponse } from "@zain/core/McpResponse"
import { visible } from "@zain/core/TerminalText"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Output from "../Output.ts"
import { type Ending, interrupting, type Report, warningIn } from "./RunReport.ts"

const encodeEvent = Schema.encodeSync(McpEvents.McpEvent)
const encodeResponse = Schema.encodeSync(McpResponse)

/** The last line, without the `cause` of an error. */
const last = (ending: Ending): unknown => {
  if (ending._tag === "Interrupted") return ending
  const { millis } = ending
  const advice = ending.advice === undefined ? {} : { advice: ending.advice }
  if (ending._tag === "Result") return { _tag: "Result", ...encodeResponse(ending.response), ...advice, millis }
  const { cause: _, ...error } = Schema.encodeSync(McpError.McpError)(ending.error)
  return { _tag: "Error", error, ...advice, millis }
}

/** @param output receives the lines, and nothing else */
export const make = (output: Output.Output, errors: Output.Output): Report => {
  const line = (value: unknown) => output.write(Output.json(value))
  const warned = (message: string) => Effect.sync(() => errors.print(`${visible(message)}\n`))
  return {
    opened: (opened) => line({ _tag: "SessionOpened", ...opened }),
    // Raw events are not part of the contract, change with agent versions, and may repeat the prompt.
    event: (event) => {
      if (event._tag !== "Raw") return line(encodeEvent(event))
      const warning = warningIn(event)
      return warning === undefined ? Effect.void : warned(warning)
    },
    stored: Effect.void,
    warned,
    decided: () => Effect.void,
    question: (_, use) => use,
    interrupting: () => errors.print(`${interrupting("the agent")}\n`),
    end: (ending) => line(last(ending)),
  }
}
