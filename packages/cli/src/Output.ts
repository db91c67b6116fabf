/**
 * The two outputs: results go to standard output, everything else to standard error.
 */
import { Socket } from "node:net"
import { styleText } from "node:util"
import * as JsonText from "@zain/process/JsonText"
import * as Effect from "effect/Effect"
import picocolors from "picocolors"

/** Functions that colour a text; without colours they return it unchanged. */
export type Paint = ReturnType<typeof picocolors.createColors>

/**
 * An output; `columns` and `rows` are its current size, 80 and 24 if unknown.
 */
export interface Output {
  /** Whether it is a terminal, which interprets control characters. */
  readonly isTerminal: boolean
  /** Whether it is a terminal that supports cursor movement. */
  readonly canDraw: boolean
  /** Whether it is a pipe, whose reader may print to the same terminal at any later time. */
  readonly isPiped: boolean
  readonly columns: () => number
  readonly rows: () => number
  /** Colours: on a terminal, unless `NO_COLOR` is set. */
  readonly paint: Paint
  /** Whether its reader closed it. */
  readonly isLost: () => boolean
  /** Writes a text, and waits for the reader (backpressure). */
  readonly write: (text: string) => Effect.Effect<void>
  /** Writes a text without backpressure. */
  readonly print: (text: string) => void
}

/** An output of this process. */
export const of = (stream: NodeJS.WriteStream): Output => ({
  isTerminal: stream.isTTY === true,
  canDraw: stream.isTTY === true && process.env["TERM"] !== "dumb",
  isPiped: stream.isTTY !== true && stream instanceof Socket,
  columns: () => stream.columns || 80,
  rows: () => stream.rows || 24,
  paint: picocolors.createColors(isColored(stream)),
  isLost: () => stream.errored !== null || stream.destroyed,
  write: (text) => write(stream, text),
  print: (text) => void stream.write(text),
})

/** Node decides by the environment and the terminal. */
const isColored = (stream: NodeJS.WriteStream): boolean => styleText("bold", "x", { stream }) !== "x"

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // A write to a closed output succeeds: `readerLost` ends the command.
    if (stream.write(text, () => resume(Effect.void))) resume(Effect.void)
  })

/** A value as a line of JSON. */
export const json = (value: unknown): string => `${JsonText.write(value)}\n`

/** Waits until everything written is read; never succeeds for a closed output: then `readerLost` ends the command. */
export const flushed = (stream: NodeJS.WriteStream): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (stream.errored === null) stream.write("", (error) => error ?? resume(Effect.void))
  })

/** The exit code of a shell for a closed output: 128 plus SIGPIPE. */
const lost = 141

/**
 * Ends when writing to an output fails, and never otherwise.
 *
 * @returns the exit code for a closed output; or fails with another cause, such as a full disk
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
