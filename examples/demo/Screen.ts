/**
 * What people see: progress on standard error, facts on standard output, an answer as it comes. With `json`, facts and
 * events are one object a line.
 */
import { styleText } from "node:util"
import type { McpEvent } from "@zain/core"

/** A step that is done. `ms`: how long it took, in milliseconds. */
export interface Fact {
  readonly step: "open" | "approval" | "execute" | "close" | "summary"
  readonly text: string
  readonly provider?: string
  readonly ms?: number
  readonly [key: string]: unknown
}

export type Screen = ReturnType<typeof make>

const margin = "".padEnd(12)

/**
 * - `progress`: says what is under way
 * - `prompt`: says what an agent is asked
 * - `event`: shows an event of its answer
 * - `fact`: says what is done
 * - `note`: says something to people
 */
export const make = (json: boolean) => {
  const { stderr, stdout } = process
  const colour = (style: "dim" | "bold", text: string) => styleText(style, text, { stream: stdout })
  const named = (provider?: string) => (provider === undefined ? "" : colour("bold", provider.padEnd(12)))
  const object = (value: object) => void stdout.write(`${JSON.stringify(value)}\n`)
  /** Whether an answer is on the screen whose line has not ended. */
  let isOpen = false
  const line = (text: string) => {
    stdout.write(`${isOpen ? "\n" : ""}${text}\n`)
    isOpen = false
  }
  const delta = (text: string) => {
    stdout.write(isOpen ? text : `${margin}< ${text}`)
    isOpen = true
  }
  const progress = (provider: string, what: string) => void stderr.write(`${provider}: ${what} …\n`)
  return {
    progress,
    prompt: (provider: string, prompt: string) => {
      if (!json) line(`${named(provider)}> ${prompt}`)
      progress(provider, "working")
    },
    event: (provider: string, event: McpEvent) => {
      if (event._tag === "Raw") return
      if (json) return object({ step: "event", provider, event })
      if (event._tag === "TextDelta") delta(event.text)
      if (event._tag === "ToolStarted") line(`${margin}${colour("dim", `… ${event.title}`)}`)
    },
    fact: (fact: Fact) => {
      if (json) return object(fact)
      const time = fact.ms === undefined ? "" : colour("dim", `  ${fact.ms} ms`)
      if (fact.step === "approval") return line(fact.text.replaceAll(/^/gm, margin))
      if (fact.step !== "execute") return line(`${named(fact.provider)}${fact.text}${time}`)
      if (!isOpen) delta(fact.text)
      stdout.write(`${time}\n`)
      isOpen = false
    },
    note: (text: string) => void (json ? stderr : stdout).write(`${text}\n`),
  }
}
