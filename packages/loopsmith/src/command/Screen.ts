/**
 * Shows a loop: on a redrawn terminal, as lines, or as JSON.
 */
import { resolve } from "node:path"
import { styleText } from "node:util"
import { clean } from "@zain/command/PlainText"
import * as JsonText from "@zain/process/JsonText"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { LoopEvent } from "../LoopEvent.ts"
import type { CommandError } from "./CommandError.ts"
import * as Display from "./Display.ts"
import * as Lines from "./Lines.ts"
import * as StandardOutput from "./StandardOutput.ts"
import * as Summary from "./Summary.ts"
import * as View from "./View.ts"

/** The document, the agents, the target and the maximum number of iterations. */
export type About = Parameters<typeof View.begin>[0]

/** A display of a loop. */
export interface Screen {
  /** Shows one more event. */
  readonly tell: (event: LoopEvent) => Effect.Effect<void>
  /** Shows the summary, after the last event. Fails with `CommandError` if standard output cannot be written. */
  readonly end: (summary: Summary.Summary) => Effect.Effect<void, CommandError>
  /** Prints a line of the log, above what is drawn. */
  readonly print: (line: string) => void
}

/** The stream to write to. */
export type Output = Pick<NodeJS.WriteStream, "columns" | "isTTY" | "off" | "on" | "rows" | "write">

const printTo = (output: Pick<Output, "write">) => (text: string) => void output.write(`${text}\n`)

/** Whether the environment and the stream allow colours. */
export const isColored = (stream: NodeJS.WritableStream): boolean => styleText("bold", "x", { stream }) !== "x"

/** Prints lines for the events that matter to people. */
export const lines = (about: About, output: Pick<Output, "write">, color: boolean): Screen => {
  const print = printTo(output)
  const paint = Display.painter(color)
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
export const json = (output: Pick<Output, "write">, log: Pick<Output, "write">): Screen => {
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
export const quiet = (log: Pick<Output, "write">): Screen => {
  const print = printTo(log)
  return {
    tell: () => Effect.void,
    end: ({ problem }) => (problem === undefined ? Effect.void : Effect.sync(() => print(clean(problem)))),
    print,
  }
}

/** Redraws the terminal with each event and each second, until the Scope closes. */
export const live = Effect.fnUntraced(function* (
  about: About,
  output: NodeJS.WriteStream,
): Effect.fn.Return<Screen, never, Scope.Scope> {
  const { createLogUpdate } = yield* Effect.promise(() => import("log-update"))
  const clock = yield* Clock.Clock
  const color = isColored(output)
  const print = printTo(output)
  const now = () => clock.currentTimeMillisUnsafe()
  let view = View.begin(about, now())
  let isOver = false
  const frame = yield* Effect.acquireRelease(
    Effect.sync(() => createLogUpdate(output)),
    (drawn) => Effect.sync(() => drawn.done()),
  )
  const draw = () => {
    if (isOver) return
    const { columns = 80, rows = 24 } = output
    frame(Display.render(view, { columns, rows, color, now: now() }))
  }
  // After a resize, lines that the terminal wraps or restores lie above the drawing: the whole screen is cleared.
  const drawAnew = () => {
    if (isOver) return
    frame.clear()
    output.write("\u001b[H\u001b[J")
    draw()
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => output.on("resize", drawAnew)),
    () => Effect.sync(() => output.off("resize", drawAnew)),
  )
  yield* Effect.forkScoped(Effect.repeat(Effect.sync(draw), Schedule.spaced("1 second")))
  return {
    tell: (event) =>
      Effect.sync(() => {
        view = View.advance(view, event, now())
        draw()
      }),
    end: (summary) =>
      Effect.sync(() => {
        view = { ...view, phase: "ended", note: undefined }
        draw()
        isOver = true
        frame.done()
        print(`\n${Summary.text(summary, Display.painter(color))}`)
      }),
    print: (line) => {
      if (!isOver) frame.clear()
      print(line)
      draw()
    },
  }
})
