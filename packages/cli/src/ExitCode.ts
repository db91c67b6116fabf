/**
 * The exit code of a command.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Receives the exit code of the command that runs. */
export class ExitCode extends Context.Service<ExitCode, { readonly set: (code: number) => void }>()(
  "@zain/cli/ExitCode",
) {}

/**
 * The handler of a command whose module is loaded only when the command runs.
 *
 * @param load imports the module
 * @param work returns the exit code; a failure prints its message, and exits with 1
 *
 * @example
 * ```ts
 * Command.make("doctor", {}, () => ExitCode.from(() => import("./Doctor.ts"), ({ run }) => run()))
 * ```
 */
export const from = <Module, E, R>(
  load: () => Promise<Module>,
  work: (module: Module) => Effect.Effect<number, E, R>,
): Effect.Effect<void, E, ExitCode | R> =>
  Effect.flatMap(Effect.promise(load), work).pipe(
    Effect.flatMap((code) => ExitCode.use(({ set }) => Effect.sync(() => set(code)))),
  )
