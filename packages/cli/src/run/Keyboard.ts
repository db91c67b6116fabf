/**
 * The keyboard of whoever started `zain`, to ask them; standard input may be something else.
 */
import { closeSync, openSync } from "node:fs"
import { ReadStream } from "node:tty"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/**
 * The keyboard, until the Scope ends; nothing where there is none.
 *
 * @param input standard input, and whether something else reads it
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
  // A terminal that is closed says that to the whole process, by a signal.
  keyboard.success.on("error", () => {})
  return keyboard.success
}

const close = (keyboard: ReadStream | undefined) => {
  if (keyboard?.isRaw) keyboard.setRawMode(false)
  keyboard?.destroy()
}
