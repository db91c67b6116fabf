/**
 * The variables of `--env`.
 */
import * as Effect from "effect/Effect"
import * as WrongUsage from "./WrongUsage.ts"

/** @param command the path of the command, for wrong usage */
export const variables = Effect.fnUntraced(function* (command: ReadonlyArray<string>, names: ReadonlyArray<string>) {
  const unset = names.find((name) => process.env[name] === undefined)
  if (unset !== undefined) return yield* WrongUsage.fail(command, `--env ${unset}: the variable is not set.`)
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]))
})
