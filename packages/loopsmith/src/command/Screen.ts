/**
 * Shows a loop: as lines, as JSON, or only its problem.
 */
import { resolve } from "node:path"
import { styleText } from "node:util"
import { clean } from "@zain/command/PlainText"
import * as JsonText from "@zain/process/JsonText"
import * as Effect from "effect/Effect"
import type { LoopEvent } from "../LoopEvent.ts"
import type { CommandError } from "./CommandError.ts"
import * as Lines from "./Lines.ts"
import * as StandardOutput from "./StandardOutput.ts"
import * as Summary from "./Summary.ts"

/** A display of a loop. */
export interface Screen {
  /** Shows one more event. */
  readonly tell: (event: LoopEvent) => Effect.Effect<void>
  /** Shows the summary, after the last event. Fails with `CommandError` if standard output cannot be written. */
  readonly end: (summary: Summary.Summary) => Effect.Effect<void, CommandError>
  /** Prints a line of the log. */
  readonly print: (line: string) => void
}

/** The stream to write to. */
export type Output = Pick<NodeJS.WriteStream, "write">

const printTo = (output: Output) => (text: string) => void output.write(`${text}\n`)

/** Whether the environment and the stream allow colours. */
export const isColored = (stream: NodeJS.WritableStream): boolean => styleText("bold", "x", { stream }) !== "x"

/** Prints lines for the events that matter to people. */
export const lines = (about: Lines.About, output: Output, color: boolean): Screen => {
  const print = printTo(output)
  const paint = Lines.painter(color)
  return {
    tell: (event) =>
      Effect.sync(() => {
        for (const line of Lines.of(about, event, paint)) print(line)
      }),
    end: (summary) => Effect.sync(() => print(Summary.text(summary, paint))),
    print,
  }
}

/** Absolute, because the reader of the JSON may run in another directory. */
const whole = (path: string | null) => (path === null ? null : resolve(path))

/** Prints every event as a line of JSON, and the summary as the last line. */
export const json = (output: Output, log: Output): Screen => {
  const line = (value: unknown) => `${JsonText.write(value)}\n`
  return {
    tell: (event) => Effect.sync(() => void output.write(line(event))),
    // Waits until the line is written: the process exits after this.
    end: (summary) =>
      Effect.suspend(() => {
        const paths = { document: whole(summary.document), report: whole(summary.report) }
        return StandardOutput.write(output, line({ _tag: "Ended", ...summary, ...paths }))
      }),
    print: printTo(log),
  }
}

/** Prints only the log and the problem. */
export const quiet = (log: Output): Screen => {
  const print = printTo(log)
  return {
    tell: () => Effect.void,
    end: ({ problem }) => (problem === undefined ? Effect.void : Effect.sync(() => print(clean(problem)))),
    print,
  }
}
