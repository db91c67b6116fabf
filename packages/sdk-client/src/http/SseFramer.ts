/**
 * Parses bytes into server-sent events, in time and memory linear in their number.
 *
 * @see HTML Standard, server-sent events
 */
import { small } from "@zain/process/ByteCollector"
import * as JsonBounds from "@zain/process/JsonBounds"
import * as LineFramer from "@zain/process/LineFramer"

/** Receives the fields of a stream. */
export interface SseListener {
  /** Receives a complete event that has data; `type` is `message` by default. */
  readonly event: (type: string, data: string) => void
  /** Receives the id of each completed event, with or without data. */
  readonly id?: (id: string) => void
  /** Receives the pause before a reconnection that the server requests, in milliseconds. */
  readonly retry?: (millis: number) => void
  /**
   * Called once for an event whose data exceeds the limit; the rest of it is discarded. `excess`: the exceeded bound of its
   * JSON; its length if absent.
   */
  readonly oversize: (excess?: JsonBounds.Excess) => void
}

/** How many bytes of a line may precede its data. */
const fieldName = 16

/** How many lines of data are kept before they are joined: a one-byte line occupies a dozen bytes. */
const maxLines = 1024

/**
 * Makes the parser of one stream.
 *
 * @param limit the most data of one event, in bytes
 * @param bounds the bounds of the JSON in the data: checked line by line, and once more for data of several lines
 * @returns a function that receives the next bytes of the stream
 */
export const make = (
  limit: number,
  listener: SseListener,
  bounds?: JsonBounds.JsonBounds,
): ((chunk: Buffer) => void) => {
  let type = ""
  let id: string | undefined
  let data: Array<string> = []
  let fresh = 0
  let size = 0
  let isSplit = false
  let discarding = false
  let isFirst = true

  const oversize = (excess?: JsonBounds.Excess) => {
    if (discarding) return
    discarding = true
    data = []
    fresh = 0
    listener.oversize(excess)
  }

  const keep = (line: string) => {
    data.push(line)
    if (++fresh < maxLines) return
    data.push(data.splice(-fresh).join("\n"))
    fresh = 0
  }

  const finish = () => {
    if (data.length === 0 && id === undefined && !discarding) {
      type = ""
      return
    }
    const event = { type, data, id, discarding, isSplit }
    type = ""
    id = undefined
    data = []
    fresh = 0
    size = 0
    isSplit = false
    discarding = false
    if (event.id !== undefined) listener.id?.(event.id)
    if (event.data.length > 0 && !event.discarding) {
      const text = event.data.join("\n")
      const excess = event.isSplit && text.length > small && bounds ? JsonBounds.check(text, bounds) : undefined
      if (excess === undefined) listener.event(event.type === "" ? "message" : event.type, text)
      else listener.oversize(excess)
    }
  }

  const field = (name: string, value: string) => {
    if (name === "data") {
      // A string has at most as many code units as bytes, so this is never too strict; a line break counts too.
      isSplit = data.length > 0
      size += value.length + (isSplit ? 1 : 0)
      if (size > limit) oversize()
      if (!discarding) keep(value)
    } else if (name === "event") type = value
    else if (name === "id" && !value.includes("\0")) id = value
    else if (name === "retry" && /^\d{1,15}$/.test(value)) listener.retry?.(Number(value))
  }

  return LineFramer.make(
    limit + fieldName,
    {
      oversize,
      line: (given) => {
        const line = isFirst && given.startsWith("\uFEFF") ? given.slice(1) : given
        isFirst = false
        if (line === "") return finish()
        const colon = line.indexOf(":")
        if (colon === 0) return
        if (colon < 0) return field(line, "")
        field(line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1))
      },
    },
    { carriageReturns: true, bounds },
  )
}
