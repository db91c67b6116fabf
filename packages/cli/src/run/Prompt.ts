/**
 * What the agent is asked: an argument, or what standard input holds.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as WrongUsage from "../WrongUsage.ts"

const command = ["zain", "run"]

/**
 * @param given the argument, if there is one; `-` is standard input
 * @returns the prompt; where there is none, that is wrong usage
 */
export const read = Effect.fnUntraced(function* (given: Option.Option<string>, input: NodeJS.ReadStream) {
  const argument = Option.getOrUndefined(given)
  if (argument === undefined && input.isTTY) {
    return yield* WrongUsage.fail(command, 'There is no prompt. Write it in quotes, such as zain run … "Say hello".')
  }
  const prompt = argument === undefined || argument === "-" ? yield* all(input) : argument
  if (prompt.trim() !== "") return prompt
  return yield* WrongUsage.fail(command, "The prompt is empty.")
})

const all = (input: NodeJS.ReadStream): Effect.Effect<string, Error> =>
  Effect.tryPromise({
    try: async () => {
      const pieces: Array<Buffer> = []
      for await (const piece of input) pieces.push(Buffer.from(piece))
      return Buffer.concat(pieces).toString("utf8")
    },
    catch: (cause) => new Error(`Standard input could not be read: ${String(cause)}.`, { cause }),
  })
