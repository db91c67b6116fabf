/**
 * Exchanges JSON objects with a process, one object a line in each direction.
 */
import { nextTick } from "node:process"
import * as Effect from "effect/Effect"
import * as FairReading from "./FairReading.ts"
import * as JsonBounds from "./JsonBounds.ts"
import { parseObject } from "./JsonRpc.ts"
import * as JsonText from "./JsonText.ts"
import * as LineFramer from "./LineFramer.ts"
import type { OwnedProcess } from "./OwnedProcess.ts"

/** A JSON object, neither array nor `null`, as it was parsed from a line or will be written as one. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Receives the objects that a process writes, and the end of the exchange. */
export interface JsonLinesListener {
  /**
   * Receives one object, in the order of the lines. Lines that are no JSON object are ignored. An exception thrown here
   * ends the reading.
   *
   * @param message the object that the line contained; its members are not checked
   */
  readonly message: (message: JsonObject) => void
  /**
   * Called once, after the last message, when nothing more is read or written.
   *
   * @param how the cause, to follow the name of the program in a sentence, such as "exited with code 1"
   */
  readonly ended: (how: string) => void
}

/** The standard input and output of a process, read and written as JSON objects. */
export interface JsonLines {
  /**
   * Writes one object as a line. Throws only if JSON cannot represent it, such as a `bigint`; does nothing after the
   * end. Ends the exchange if more than `maxLineBytes` are still unread by the process.
   *
   * @param message written as one line by `JsonText.write`, which omits members that are `undefined`
   */
  readonly send: (message: object) => void
  /**
   * Pauses or resumes reading. While it is paused, a process that goes on writing blocks.
   *
   * @param isHeld true pauses the reading, false resumes it
   */
  readonly hold: (isHeld: boolean) => void
  /**
   * Starts reading. Call it once.
   *
   * @param listener receives the messages and the end; it may call `send` and `hold`
   */
  readonly listen: (listener: JsonLinesListener) => void
}

/**
 * How long a process that has closed a pipe may take to exit, so that `ended` reports the exit code, in milliseconds.
 */
const exitTimeoutMillis = 200

/** The limits of a line of more than 1 MiB, checked before it is parsed: each value takes some 80 bytes of memory. */
const shape = { maxDepth: 1_000, maxElements: 1_000_000 }

/**
 * Wraps a process that reads and writes JSON lines. A line of more than 1 MiB that is nested more than 1,000 levels
 * deep or contains more than 1,000,000 values ends the reading.
 *
 * @param process the process; nothing else may use its standard input and output
 * @param maxLineBytes the longest line, in bytes; a longer one ends the reading
 */
export const make = (process: OwnedProcess, maxLineBytes: number): JsonLines => {
  const { stdin, stdout } = process
  let isOver = false
  let isHeld = false
  let isBusy = false
  let listener: JsonLinesListener | undefined

  const end = (how: string) => {
    if (isOver) return
    isOver = true
    listener?.ended(how)
  }
  const take = (line: string) => {
    const message = isOver ? undefined : parseObject(line)
    if (message === undefined) return
    try {
      listener?.message(message)
    } catch (cause) {
      end(`sent what could not be handled (${String(cause)})`)
    }
  }
  const flow = () => {
    if (isHeld || isBusy) stdout.pause()
    else stdout.resume()
  }
  const busy = (is: boolean) => () => {
    isBusy = is
    flow()
  }
  const lost = () => {
    const timer = setTimeout(() => end("closed its pipes"), exitTimeoutMillis)
    process.onEnd(() => clearTimeout(timer))
  }

  return {
    send: (message) => {
      if (isOver || !stdin.writable) return
      if (stdin.writableLength > maxLineBytes) return end("does not read its input")
      // Lines sent in one tick are written in one piece, so that the program does not act between lines that belong
      // together.
      const line = `${JsonText.write(message)}\n`
      stdin.cork()
      stdin.write(line)
      nextTick(() => stdin.uncork())
    },
    hold: (is) => {
      isHeld = is
      flow()
    },
    listen: (given) => {
      listener = given
      const oversize = (excess?: JsonBounds.Excess) =>
        end(`sent a line ${JsonBounds.words(excess, shape, maxLineBytes)}`)
      const framer = LineFramer.make(maxLineBytes, { line: take, oversize }, { bounds: shape })
      stdout.on("data", FairReading.make({ pause: busy(true), resume: busy(false) }, framer))
      stdout.once("end", lost)
      stdin.once("close", lost)
      process.onEnd(({ exitCode, signal }) =>
        end(signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`),
      )
    },
  }
}

/** A request to a process, and how to recognize its answer. */
export interface Question<A> {
  /** The objects to send first, in this order and before any answer is read, such as `initialize`. */
  readonly first: ReadonlyArray<object>
  /**
   * Returns the answer if the message completes it, else `undefined`.
   *
   * @param message the next object that the process wrote; each one is passed once, in order
   * @param send sends a further object to the process, such as a request that needs an earlier answer
   */
  readonly answer: (message: JsonObject, send: JsonLines["send"]) => A | undefined
  /** The longest line, in bytes; a longer one ends the reading. */
  readonly maxLineBytes: number
}

/**
 * Sends objects to a process and waits for its answer.
 *
 * @param process the process; nothing else may use its standard input and output
 * @param question what to send, and how to recognize the answer; if `answer` throws, the call fails
 * @returns the answer; fails with the reason of `JsonLinesListener.ended` if the process ends without one
 */
export const ask = <A>(process: OwnedProcess, { answer, first, maxLineBytes }: Question<A>): Effect.Effect<A, string> =>
  Effect.callback((resume) => {
    const { listen, send } = make(process, maxLineBytes)
    listen({
      message: (message) => {
        const found = answer(message, send)
        if (found !== undefined) resume(Effect.succeed(found))
      },
      ended: (how) => resume(Effect.fail(how)),
    })
    first.forEach(send)
  })
