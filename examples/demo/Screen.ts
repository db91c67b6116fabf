/**
 * What people see: progress on standard error, facts on standard output, an answer as it comes. With `json`, facts and
 * events are one object a line.
 */
import { styleText } from "node:util"
import type { McpEvent } from "@zain/core"
import * as Effect from "effect/Effect"

/** A step that is done. `ms`: how long it took, in milliseconds. */
export interface Fact {
  readonly step: "open" | "approval" | "execute" | "close" | "summary"
  readonly text: string
  readonly provider?: string
  readonly ms?: number
  readonly [key: string]: unknown
}

/**
 * - `progress`: shows what is under way until the effect ends
 * - `asking`: the same for a prompt. What `event` hears meanwhile is shown as it comes
 * - `fact`: says what is done
 * - `note`: says something to people
 */
export interface Screen {
  readonly progress: <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly asking: <A, E, R>(provider: string, prompt: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly event: (provider: string, event: McpEvent) => Effect.Effect<void>
  readonly fact: (fact: Fact) => Effect.Effect<void>
  readonly note: (text: string) => Effect.Effect<void>
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

const margin = "".padEnd(12)

export const make = ({ json }: { readonly json: boolean }): Screen => {
  const { stderr, stdout } = process
  const colour = (style: "dim" | "bold", text: string) => styleText(style, text, { stream: stdout })
  /** Ends what spins. */
  let quiet = () => {}
  /** Whether an answer is on the screen whose line has not ended. */
  let isOpen = false
  const spin = (what: string) => {
    if (!stderr.isTTY) return void stderr.write(`${what} …\n`)
    let frame = 0
    const draw = () => stderr.write(`\r\u001b[K${frames[frame++ % frames.length]} ${what}`)
    const timer = setInterval(draw, 80)
    draw()
    quiet = () => {
      clearInterval(timer)
      stderr.write("\r\u001b[K")
      quiet = () => {}
    }
  }
  const print = (text: string) => {
    quiet()
    stdout.write(text)
  }
  const line = (text: string) => {
    print(`${isOpen ? "\n" : ""}${text}\n`)
    isOpen = false
  }
  const delta = (text: string) => {
    print(isOpen ? text : `${margin}< ${text}`)
    isOpen = true
  }
  const named = (provider: string | undefined) => (provider === undefined ? "" : colour("bold", provider.padEnd(12)))

  const progress: Screen["progress"] = (what, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => spin(what)),
      () => effect,
      () => Effect.sync(() => quiet()),
    )
  return {
    progress,
    asking: (provider, prompt, effect) =>
      Effect.suspend(() => {
        if (!json) line(`${named(provider)}> ${prompt}`)
        return progress(`${provider}: working`, effect)
      }),
    event: (provider, event) =>
      Effect.sync(() => {
        if (event._tag === "Raw") return
        if (json) return void stdout.write(`${JSON.stringify({ step: "event", provider, event })}\n`)
        if (event._tag === "TextDelta") delta(event.text)
        if (event._tag === "ToolStarted") line(`${margin}${colour("dim", `… ${event.title}`)}`)
      }),
    fact: (fact) =>
      Effect.sync(() => {
        if (json) return void stdout.write(`${JSON.stringify(fact)}\n`)
        const time = fact.ms === undefined ? "" : colour("dim", `  ${fact.ms} ms`)
        if (fact.step === "approval") return line(fact.text.replaceAll(/^/gm, margin))
        if (fact.step !== "execute") return line(`${named(fact.provider)}${fact.text}${time}`)
        if (!isOpen) delta(fact.text)
        print(`${time}\n`)
        isOpen = false
      }),
    note: (text) => Effect.sync(() => void (json ? stderr : stdout).write(`${text}\n`)),
  }
}
