/**
 * Reports a run as text: the answer on standard output, everything else on standard error.
 */

import { clean } from "@zain/command/PlainText"
import { clip } from "@zain/command/TextWidth"
import type { McpEvent } from "@zain/core/McpEvents"
import type { McpResponse } from "@zain/core/McpResponse"
import { visible } from "@zain/core/TerminalText"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { harmless } from "../ExactText.ts"
import * as HelpText from "../HelpText.ts"
import type { Output } from "../Output.ts"
import * as StatusLine from "../StatusLine.ts"
import * as AnswerSchema from "./AnswerSchema.ts"
import * as AnswerText from "./AnswerText.ts"
import * as ApprovalLedger from "./ApprovalLedger.ts"
import * as ApprovalText from "./ApprovalText.ts"
import * as EventText from "./EventText.ts"
import { type Ending, interrupting, type Report, warningIn } from "./RunReport.ts"

/** The longest text of a tool, in columns. */
const maxColumns = 200

/**
 * @param title the agent's title
 * @param isStructured whether the answer is a value, which is shown alone
 */
export const make = Effect.fnUntraced(function* (
  title: string,
  stdout: Output,
  stderr: Output,
  isStructured = false,
): Effect.fn.Return<Report, never, Scope.Scope> {
  const status = yield* StatusLine.make(stderr)
  /** Output and questions are shown one at a time. */
  const turns = Semaphore.makeUnsafe(1)
  const answer = AnswerText.make(stdout.isTerminal ? "pieces" : "messages")
  const approvals = ApprovalLedger.make()
  const { paint } = stderr
  const tools = new Map<string, string>()
  /** Whether the last line of standard output has no line feed yet. */
  let isOpen = false
  let isEnding = false
  /** Whether a pipe holds text that its reader may not have printed yet. */
  let isPassedOn = false
  let thread: string | undefined
  let isStored = false

  const say = (text: string) =>
    Effect.suspend(() => {
      if (text === "") return Effect.void
      status.clear()
      isOpen = !text.endsWith("\n")
      isPassedOn = stdout.isPiped
      return stdout.write(stdout.isTerminal ? harmless(text) : text)
    })
  const note = (text: string) => {
    status.clear()
    if (isOpen && stdout.isTerminal) {
      stdout.print("\n")
      isOpen = false
    }
    stderr.print(`${text}\n`)
  }
  const tell = (text: string) => note(stderr.isTerminal ? HelpText.message(text, stderr.columns()) : text)
  /** The status line would overwrite an unfinished line of the answer, or stay before a line that the pipe's reader prints. */
  const working = () => {
    if ((isOpen && stdout.isTerminal) || isPassedOn) return
    if (isEnding) return status.show(`${title} is ending…`)
    const tool = [...tools.values()].at(-1)
    status.show(tool === undefined ? `${title} is thinking…` : `${title}: ${tool}`)
  }
  const warn = (text: string) => tell(`${paint.yellow("!")} ${visible(text)}`)
  const about = (text: string) => clip(clean(text), maxColumns)

  const noted = (event: McpEvent) => {
    if (event._tag === "ThreadStarted") thread = clip(clean(event.threadId), maxColumns)
    const warning = warningIn(event)
    if (warning !== undefined) warn(warning)
    const decided = approvals.hear(event)
    const decision = decided && ApprovalText.decided(decided, paint)
    if (decision !== undefined) note(decision)
    if (event._tag === "ToolStarted") {
      tools.set(event.toolId, about(event.title))
      note(paint.dim(`• ${about(event.title)}`))
    }
    if (event._tag === "ToolFinished") {
      const name = tools.get(event.toolId) ?? about(event.name)
      tools.delete(event.toolId)
      const why = event.output === undefined ? "" : `: ${tail(event.output)}`
      if (event.isError) note(`${paint.red("✗")} ${paint.dim(`${name}${why}`)}`)
    }
    const words = EventText.of(event, paint)
    if (words !== undefined) tell(words)
  }
  const follows = ({ _tag }: McpEvent) => _tag !== "Heartbeat" && _tag !== "Raw" && _tag !== "Usage"

  const failed = (why: string, advice: string | undefined) =>
    tell(`${paint.red("✗")} ${visible(why)}${advice === undefined ? "" : `\n  ${visible(advice)}`}`)
  const ended = (ending: Ending) => {
    const took = `${(ending.millis / 1_000).toFixed(1)} s`
    if (ending._tag === "Interrupted") return tell(`Interrupted after ${took}.`)
    if (ending._tag === "Result") {
      const { cause, content, isError } = ending.response
      if (isError && cause?._tag === "Unstructured") failed(unfit(title, cause.problems), ending.advice)
      else if (isError) failed(`${title} reports that its turn failed: ${content}`, ending.advice)
      return tell(
        paint.dim(`${isError ? "Failed" : "Done"} in ${took}${tokens(ending.response)}${account(ending.response)}`),
      )
    }
    failed(ending.error.message, ending.advice)
  }

  status.show(`${title} is starting…`)
  return {
    opened: () => Effect.sync(working),
    event: (event) =>
      turns.withPermit(
        Effect.gen(function* () {
          noted(event)
          if (!isStructured) yield* say(answer.event(event))
          if (follows(event)) working()
        }),
      ),
    stored: Effect.sync(() => {
      isStored = true
    }),
    warned: (message) => turns.withPermit(Effect.sync(() => warn(message))),
    decided: (entry) => Effect.sync(() => approvals.keep(entry)),
    question: (request, use) =>
      Effect.andThen(
        approvals.reached(request),
        turns.withPermit(
          Effect.suspend(() => {
            note(ApprovalText.question(title, request, stderr))
            return Effect.ensuring(use, Effect.sync(working))
          }),
        ),
      ),
    interrupting: () => {
      isEnding = true
      if (!stdout.isLost()) tell(interrupting(title))
      working()
    },
    end: Effect.fnUntraced(function* (ending) {
      if (ending._tag === "Result" && !ending.response.isError) {
        const { content, structured } = ending.response
        yield* say(isStructured ? AnswerSchema.print(structured) : answer.end(content))
      }
      if (isOpen && ending._tag !== "Interrupted") yield* say("\n")
      if (stdout.isLost()) return
      ended(ending)
      if (thread !== undefined)
        tell(paint.dim(`Thread ${thread}: --thread${isStored ? " or --last" : ""} continues it`))
    }),
  }
})

const unfit = (title: string, problems: ReadonlyArray<string>): string =>
  `The answer of ${title} does not fit the schema: ${problems.join("; ")}`

/** The end of a tool's output, after `…` if it is cut. */
const tail = (output: string): string => {
  const looked = clean(output.slice(-4 * maxColumns))
  const isWhole = output.length <= 4 * maxColumns && looked.length <= maxColumns
  return isWhole ? looked : `…${looked.slice(1 - maxColumns).toWellFormed()}`
}

/** How full the context is, and what the turn cost. */
const account = ({ context, cost }: McpResponse): string => {
  const filled = context === undefined ? "" : `, context: ${Math.round((100 * context.used) / context.size)} %`
  return `${filled}${cost === undefined ? "" : `, cost: $${cost.toFixed(cost < 0.01 ? 4 : 2)}`}`
}

const tokens = ({ usage = {} }: McpResponse): string => {
  const count = (tokens: number | undefined, what: string) =>
    tokens === undefined ? [] : [`${tokens.toLocaleString("en")} ${what}`]
  const counts = [...count(usage.inputTokens, "in"), ...count(usage.outputTokens, "out")]
  return counts.length === 0 ? "" : `, tokens: ${counts.join(", ")}`
}
