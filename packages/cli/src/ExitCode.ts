/**
 * What a command comes to: a number that the shell is told.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Who is told the exit code of the command that runs. */
export class ExitCode extends Context.Service<ExitCode, { readonly set: (code: number) => void }>()(
  "@zain/cli/ExitCode",
) {}

/**
 * The handler of a command whose work is a module of its own, so that only those who use it load it.
 *
 * @param load imports the module
 * @param work gives the exit code; an error's message is for people, and makes it 1
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
