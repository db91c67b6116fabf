/**
 * The log on standard error: one line an entry, with secrets masked.
 */

import { clean } from "@zain/command/PlainText"
import type { Mask } from "@zain/command/Secrets"
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { LogLevel } from "./Options.ts"

/** The longest line, in characters; longer ones are cut. */
const maxLineLength = 4_096

const severities = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/**
 * - `level`: the lowest level that is written
 * - `write`: receives a line without its line break
 */
export interface Options {
  readonly level: LogLevel
  readonly mask: Mask
  readonly write: (line: string) => void
}

/** A layer that replaces the loggers of the effect that it is provided to. */
export const layer = ({ level, mask, write }: Options) =>
  Layer.merge(
    Logger.layer([
      Logger.make(({ cause, date, fiber, logLevel, message }) => {
        const said = Array.isArray(message) ? message : [message]
        const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
        // Masked before quoting and cutting: a cut secret would not be recognized.
        const masked = (value: unknown) => mask(text(value))
        const words = [
          ...said.map(masked),
          ...annotations.map(([name, value]) => `${name}=${quoted(masked(value))}`),
          ...(cause.reasons.length === 0 ? [] : [`cause=${quoted(masked(Cause.pretty(cause)))}`]),
        ]
        const line = clean(mask(words.join(" ")).slice(0, maxLineLength))
        write(`${date.toISOString()} ${logLevel.toUpperCase().padEnd(5)} ${line}`)
      }),
    ]),
    Layer.succeed(References.MinimumLogLevel, severities[level]),
  )

const text = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value instanceof Error) return value.message
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

const quoted = (value: string): string => (/^[\w.:/+-]+$/.test(value) ? value : JSON.stringify(value))
