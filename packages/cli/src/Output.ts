/**
 * The two outputs: what a command gives goes to standard output, and all else that people are told to standard error.
 */
import { styleText } from "node:util"
import * as Effect from "effect/Effect"
import picocolors from "picocolors"

/** Ways to colour a text, or to leave it as it is. */
export type Paint = ReturnType<typeof picocolors.createColors>

/**
 * - `columns`, `rows`: how wide and how high it is
 */
export interface Output {
  /** Whether it is a terminal, which would obey what it is sent. */
  readonly isTerminal: boolean
  /** Whether it is one that can be drawn on. */
  readonly canDraw: boolean
  readonly columns: () => number
  readonly rows: () => number
  /** Colours, where there are any: on a terminal, unless `NO_COLOR` is set. */
  readonly paint: Paint
  /** Whether its reader has gone. */
  readonly isLost: () => boolean
  /** Writes a text, and waits while its reader is behind. */
  readonly write: (text: string) => Effect.Effect<void>
  /** The same, at once. */
  readonly print: (text: string) => void
}

/** An output of this process. */
export const of = (stream: NodeJS.WriteStream): Output => ({
  isTerminal: stream.isTTY === true,
  canDraw: stream.isTTY === true && process.env["TERM"] !== "dumb",
  columns: () => stream.columns || 80,
  rows: () => stream.rows || 24,
  paint: picocolors.createColors(isColored(stream)),
  isLost: () => stream.errored !== null || stream.destroyed,
  write: (text) => write(stream, text),
  print: (text) => void stream.write(text),
})

/** As the environment and the terminal have it. */
const isColored = (stream: NodeJS.WriteStream): boolean => styleText("bold", "x", { stream }) !== "x"

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // What nobody reads is as good as written: the command ends by `readerLost`.
    if (stream.write(text, () => resume(Effect.void))) resume(Effect.void)
  })

/** A value as a line of JSON. */
export const json = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Waits until all that was written is read; for ever, where it cannot be: then the command ends by `readerLost`. */
export const flushed = (stream: NodeJS.WriteStream): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (stream.errored === null) stream.write("", (error) => error ?? resume(Effect.void))
  })

/** What a shell makes of a program whose reader has gone: 128 and SIGPIPE. */
const lost = 141

/**
 * Ends when an output cannot be written any more. Ends never where it can.
 *
 * @returns the exit code of one whose reader has gone; or what else is wrong with it, such as a disk that is full
 */
export const readerLost = (stream: NodeJS.WriteStream): Effect.Effect<number, Error> =>
  Effect.callback((resume) => {
    const end = (cause: NodeJS.ErrnoException) => {
      const { code = String(cause) } = cause
      const hasGone = code === "EPIPE" || code === "ECONNRESET"
      const wrong = () => new Error(`Writing to standard output failed: ${code}.`, { cause })
      resume(hasGone ? Effect.succeed(lost) : Effect.fail(wrong()))
    }
    if (stream.errored !== null) return end(stream.errored)
    stream.once("error", end)
    return Effect.sync(() => stream.off("error", end))
  })
