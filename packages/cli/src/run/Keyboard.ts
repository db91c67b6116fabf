/**
 * The keyboard of the terminal; standard input may be a pipe.
 */
import { closeSync, openSync } from "node:fs"
import { ReadStream } from "node:tty"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/**
 * Opens the keyboard until the Scope ends; returns `undefined` if there is no terminal.
 *
 * @param input standard input; not used if `isTaken`
 */
export const make = (input: NodeJS.ReadStream, isTaken: boolean) =>
  input.isTTY && !isTaken
    ? Effect.succeed(input)
    : Effect.acquireRelease(Effect.sync(open), (keyboard) => Effect.sync(() => close(keyboard)))

const open = (): ReadStream | undefined => {
  const file = Result.try(() => openSync("/dev/tty", "r"))
  if (Result.isFailure(file)) return undefined
  const keyboard = Result.try(() => new ReadStream(file.success))
  if (Result.isFailure(keyboard)) {
    closeSync(file.success)
    return undefined
  }
  // A closed terminal signals the whole process (SIGHUP), so the error is ignored.
  keyboard.success.on("error", () => {})
  return keyboard.success
}

const close = (keyboard: ReadStream | undefined) => {
  if (keyboard?.isRaw) keyboard.setRawMode(false)
  keyboard?.destroy()
}
