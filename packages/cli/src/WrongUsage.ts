/**
 * What is wrong with a command line, where only the command itself can tell.
 */
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"

/**
 * Fails as a wrong argument does: the message and a word about `--help` on standard error, and exit code 2.
 *
 * @param command its path, such as `["zain", "run"]`
 */
export const fail = (command: ReadonlyArray<string>, message: string): Effect.Effect<never, CliError.ShowHelp> =>
  Effect.fail(new CliError.ShowHelp({ commandPath: [...command], errors: [new CliError.ValidationError({ message })] }))
