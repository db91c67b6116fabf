/**
 * Reads the prompt from an argument or standard input.
 */
import * as Effect from "effect/Effect"
import * as WrongUsage from "../WrongUsage.ts"

const command = ["zain", "run"]

/** The longest prompt from standard input, in MiB. */
const maxMebibytes = 4

/** Whether the prompt comes from standard input: `-`, or no argument. */
export const isFromInput = (argument: string | undefined): boolean => argument === undefined || argument === "-"

/**
 * @param argument the prompt's argument, if it was passed
 * @returns the prompt, or fails with wrong usage if it is missing, empty or too long
 */
export const read = Effect.fnUntraced(function* (argument: string | undefined, input: NodeJS.ReadStream) {
  if (argument === undefined && input.isTTY) {
    return yield* WrongUsage.fail(command, 'A prompt is required. Write it in quotes, such as zain run … "Say hello".')
  }
  const prompt = argument === undefined || isFromInput(argument) ? yield* all(input) : argument
  if (prompt === undefined) {
    return yield* WrongUsage.fail(
      command,
      `The prompt is longer than ${maxMebibytes} MiB. Name files in it that the agent reads.`,
    )
  }
  if (prompt.trim() !== "") return prompt
  return yield* WrongUsage.fail(command, "The prompt is empty.")
})

/** Reads all of it; `undefined` over the limit. */
const all = (input: NodeJS.ReadStream): Effect.Effect<string | undefined, Error> =>
  Effect.tryPromise({
    try: async () => {
      const pieces: Array<Buffer> = []
      let left = maxMebibytes * 1024 * 1024
      for await (const piece of input) {
        const bytes = Buffer.from(piece)
        left -= bytes.length
        if (left < 0) return undefined
        pieces.push(bytes)
      }
      return Buffer.concat(pieces).toString("utf8")
    },
    catch: (cause) => new Error(`Reading standard input failed: ${String(cause)}.`, { cause }),
  })
