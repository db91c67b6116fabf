/**
 * What people see: progress on standard error, facts on standard output. With `json`, facts are one object a line.
 */
import { styleText } from "node:util"
import * as Effect from "effect/Effect"

/** A step that is done. `ms`: how long it took, in milliseconds. */
export interface Fact {
  readonly step: "open" | "execute" | "close" | "summary"
  readonly text: string
  readonly provider?: string
  readonly ms?: number
  readonly [key: string]: unknown
}

/**
 * - `progress`: shows what is under way until the effect ends
 * - `fact`: says what is done
 * - `note`: says something to people
 */
export interface Screen {
  readonly progress: <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly fact: (fact: Fact) => Effect.Effect<void>
  readonly note: (text: string) => Effect.Effect<void>
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

export const make = ({ json }: { readonly json: boolean }): Screen => {
  const { stderr, stdout } = process
  const colour = (style: "dim" | "green" | "bold", text: string) => styleText(style, text, { stream: stdout })
  const spin = (what: string) => {
    let frame = 0
    const draw = () => stderr.write(`\r\u001b[K${frames[frame++ % frames.length]} ${what}`)
    const timer = setInterval(draw, 80)
    draw()
    return () => {
      clearInterval(timer)
      stderr.write("\r\u001b[K")
    }
  }
  return {
    progress: (what, effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          if (stderr.isTTY) return spin(what)
          stderr.write(`${what} …\n`)
          return () => {}
        }),
        () => effect,
        (stop) => Effect.sync(stop),
      ),
    fact: (fact) =>
      Effect.sync(() => {
        if (json) return void stdout.write(`${JSON.stringify(fact)}\n`)
        const who = fact.provider === undefined ? "" : colour("bold", fact.provider.padEnd(12))
        const time = fact.ms === undefined ? "" : colour("dim", `  ${fact.ms} ms`)
        stdout.write(`${who}${fact.text}${time}\n`)
      }),
    note: (text) => Effect.sync(() => void (json ? stderr : stdout).write(`${text}\n`)),
  }
}
