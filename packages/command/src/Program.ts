/**
 * Runs a command's work, and turns its result or a signal into the exit code.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"

/** The exit codes of signals, as shells have them. */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** How long a client may take to read the last output, in milliseconds. */
const lastWords = 1000

/** How a command exits. */
export interface Ending {
  /** The exit code after any signal. By default 128 and the signal's number. */
  readonly signals?: number
  /** How long closing the Scope may take before the process exits anyway. Unlimited by default. */
  readonly within?: Duration.Duration
}

/**
 * Runs until the work returns an exit code or a signal arrives; then its Scope closes and the process exits. Logs go to
 * standard error.
 *
 * @param name the command's name in messages
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

/** The exit code of the first signal. A second signal exits immediately; child processes are ended all the same. */
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

/** Ignores write errors of standard output and standard error, whose readers may have exited. */
export const ignoreLostReaders = (): void => {
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
}

/** Prints why a command cannot run, and exits. */
export const refuse = (name: string, message: string, code: number) =>
  process.stderr.write(`${name}: ${message}\n`, () => process.exit(code))

/** Prints a text and exits when the output has been read, after 1 second at the latest. */
export const exit = (code: number, text = "") => {
  const leave = () => process.exit(code)
  setTimeout(leave, lastWords)
  process.stdout.write(text, leave)
}
