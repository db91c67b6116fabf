/**
 * Wrong usage that only the command itself detects.
 */
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"

/**
 * Fails like a wrong argument: prints the message and a line on `--help` to standard error, and exits with 2.
 *
 * @param command its path, such as `["zain", "run"]`
 */
export const fail = (command: ReadonlyArray<string>, message: string): Effect.Effect<never, CliError.ShowHelp> =>
  Effect.fail(new CliError.ShowHelp({ commandPath: [...command], errors: [new CliError.ValidationError({ message })] }))
