/**
 * One line of a terminal that says what goes on, and for how long. It goes when something else is to be said.
 *
 * The spinner of `@clack/prompts` takes the keyboard and ends the process at Ctrl-C, so it cannot stand here.
 */

import { clean } from "@zain/tool-server/TerminalText"
import { clip } from "@zain/tool-server/TextWidth"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Output } from "./Output.ts"

export interface StatusLine {
  /** What goes on from now on; the seconds are counted from here. */
  readonly show: (what: string) => void
  /** Takes the line away, until `show`. */
  readonly clear: () => void
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

/** Seconds that nobody has to be told of. */
const unremarkable = 2

/** A line on an output; where that cannot be drawn on, it shows nothing. It goes with the Scope. */
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
  // A second signal ends the process without the end of any Scope.
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
