/**
 * A command of ours, from its work to its exit code.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"

/** What a signal makes of the exit code, as shells have it. */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** How long a client may take to read the last of what was said, in milliseconds. */
const lastWords = 1000

/**
 * - `signals`: the exit code after a signal, in place of what shells have for it
 * - `within`: how long the ending may take, whatever hangs. As long as it takes if absent
 */
export interface Ending {
  readonly signals?: number
  readonly within?: Duration.Duration
}

/**
 * Runs until the work gives an exit code, or a signal does; then its Scope closes and the process exits. Logs go to
 * standard error.
 *
 * @param name of the command, for people
 */
export const run = <E>(name: string, work: Effect.Effect<number, E, Scope.Scope>, ending: Ending = {}): void => {
  const { signals: code, within } = ending
  const ended = Effect.tap(
    Effect.raceFirst(work, code === undefined ? signalled : Effect.as(signalled, code)),
    (code) =>
      Effect.sync(() => {
        if (within !== undefined) setTimeout(() => process.exit(code), Duration.toMillis(within)).unref()
      }),
  )
  Effect.runFork(Effect.scoped(ended).pipe(Effect.provideService(Logger.LogToStderr, true))).addObserver((ended) => {
    if (Exit.isSuccess(ended)) return exit(ended.value)
    const error = Cause.squash(ended.cause)
    refuse(name, error instanceof Error ? error.message : String(error), 1)
  })
}

/** The exit code of the first signal to end. At the second one nothing is waited for; children end all the same. */
const signalled = Effect.callback<number>((resume) => {
  let isEnding = false
  for (const [name, code] of Object.entries(signals)) {
    process.on(name, () => {
      if (isEnding) process.exit(code)
      isEnding = true
      resume(Effect.succeed(code))
    })
  }
})

/** Nobody may be left to read what is said; who serves over one of the outputs listens for itself. */
export const ignoreLostReaders = (): void => {
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
}

/** Says why a command does not run, and exits. */
export const refuse = (name: string, message: string, code: number) =>
  process.stderr.write(`${name}: ${message}\n`, () => process.exit(code))

/** Exits when what was said has been read. */
export const exit = (code: number, text = "") => {
  const leave = () => process.exit(code)
  setTimeout(leave, lastWords)
  process.stdout.write(text, leave)
}
