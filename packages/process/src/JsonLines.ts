/**
 * A process that speaks JSON: one object a line each way.
 */
import { nextTick } from "node:process"
import * as Effect from "effect/Effect"
import * as FairReading from "./FairReading.ts"
import * as JsonBounds from "./JsonBounds.ts"
import { parseObject } from "./JsonRpc.ts"
import * as LineFramer from "./LineFramer.ts"
import type { OwnedProcess } from "./OwnedProcess.ts"

/** An object that a process writes. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * - `message`: receives one object, in the order of the lines. A line that is none is passed over
 * - `ended`: nothing more is read or written. `how` continues a sentence that begins with the name of the program. Called
 *   once, after every message
 */
export interface JsonLinesListener {
  readonly message: (message: JsonObject) => void
  readonly ended: (how: string) => void
}

/**
 * - `send`: writes one object. Never throws; does nothing after the end
 * - `hold`: whether reading is paused: the process blocks before long
 * - `listen`: names the listener. Called once; nothing is read before
 */
export interface JsonLines {
  readonly send: (message: object) => void
  readonly hold: (isHeld: boolean) => void
  readonly listen: (listener: JsonLinesListener) => void
}

/** How long a process that has closed a pipe may take to exit, and so to say more, in milliseconds. */
const exitLimit = 200

/** What a line of more than 1 MiB may hold, before it is parsed: some eighty bytes are made of each value. */
const shape = { maxDepth: 1_000, maxElements: 1_000_000 }

/**
 * @param process that speaks JSON
 * @param maxLineBytes the longest line; a longer one ends the reading
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
    const timer = setTimeout(() => end("closed its pipes"), exitLimit)
    process.onEnd(() => clearTimeout(timer))
  }

  return {
    send: (message) => {
      if (isOver || !stdin.writable) return
      if (stdin.writableLength > maxLineBytes) return end("does not read its input")
      // What is sent in one tick arrives in one piece: no program goes on between two lines that belong together.
      stdin.cork()
      stdin.write(`${JSON.stringify(message)}\n`)
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

/** What to ask. `answer`: returns the answer once it is there, and may send more. */
export interface Question<A> {
  readonly first: ReadonlyArray<object>
  readonly answer: (message: JsonObject, send: JsonLines["send"]) => A | undefined
  readonly maxLineBytes: number
}

/**
 * Asks a process that answers in JSON lines.
 *
 * @returns the answer, or how the process ended without one: see `JsonLinesListener.ended`
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
