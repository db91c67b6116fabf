/**
 * The events of a stored turn within limits. The last ones remain, as the answer is among them.
 */

import { clip, maxOutputLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"

/** The most characters of a prompt or a message. */
export const maxTextLength = 64 * 1024

/** The most bytes of the events of a turn, as JSON, and the most events. A page of 16 turns stays below 8 MiB. */
const [maxKeptBytes, maxEvents] = [256 * 1024, 1_000]

/** Collects the events of one turn. */
export interface TurnEvents {
  /** Adds an event. */
  readonly add: (event: McpEventContent) => void
  /** The last events, and how many are omitted. */
  readonly end: () => { readonly events: ReadonlyArray<McpEventContent>; readonly omitted?: number }
}

/** Starts without events. */
export const make = (): TurnEvents => {
  const kept: Array<{ readonly event: McpEventContent; readonly size: number }> = []
  let [size, omitted] = [0, 0]
  return {
    add: (event) => {
      const short = shortened(event)
      const own = Buffer.byteLength(JSON.stringify(short))
      kept.push({ event: short, size: own })
      size += own
      while (kept.length > 1 && (size > maxKeptBytes || kept.length > maxEvents)) {
        size -= kept.shift()?.size ?? 0
        omitted++
      }
    },
    end: () => ({ events: kept.map(({ event }) => event), ...(omitted === 0 ? {} : { omitted }) }),
  }
}

const shortened = (event: McpEventContent): McpEventContent =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      typeof value === "string" ? clip(value.toWellFormed(), name === "text" ? maxTextLength : maxOutputLength) : value,
    ]),
  ) as unknown as McpEventContent
