/**
 * One line of a terminal that shows the current step and its seconds; it is removed before other output.
 *
 * The spinner of `@clack/prompts` takes the keyboard and ends the process at Ctrl-C, so it cannot stand here.
 */

import { clean } from "@zain/command/PlainText"
import { clip } from "@zain/command/TextWidth"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Output } from "./Output.ts"

export interface StatusLine {
  /** Shows a step; its seconds count from now. */
  readonly show: (what: string) => void
  /** Removes the line until `show`. */
  readonly clear: () => void
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

/** Shorter steps show no seconds. */
const unremarkable = 2

/** Makes a line on an output, until the Scope ends; shows nothing if the output does not support cursor movement. */
export const make = Effect.fnUntraced(function* (output: Output): Effect.fn.Return<StatusLine, never, Scope.Scope> {
  if (!output.canDraw) return { show: () => {}, clear: () => {} }
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  let shown: { readonly what: string; readonly since: number } | undefined
  let isVisible = false
  let frame = 0

  const draw = () => {
    if (shown === undefined || !isVisible) return
    const seconds = Math.floor((now() - shown.since) / 1_000)
    const time = seconds < unremarkable ? "" : ` ${seconds} s`
    const text = clip(shown.what, output.columns() - time.length - 4)
    const spinner = output.paint.cyan(frames[frame++ % frames.length] ?? "")
    output.print(`\r\u001b[K${spinner} ${text}${output.paint.dim(time)}`)
  }
  const clear = () => {
    if (isVisible && shown !== undefined) output.print("\r\u001b[K")
    isVisible = false
  }
  yield* Effect.forkScoped(Effect.repeat(Effect.sync(draw), Schedule.spaced("100 millis")))
  // A second signal ends the process without closing any Scope.
  process.on("exit", clear)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      process.off("exit", clear)
      clear()
    }),
  )
  return {
    show: (what) => {
      shown = { what: clean(what), since: now() }
      isVisible = true
      draw()
    },
    clear,
  }
})
