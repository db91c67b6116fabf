/**
 * Runs agents as programs, in an empty directory.
 */
import * as Environment from "@zain/process/Environment"
import * as HostGuard from "@zain/process/HostGuard"
import * as JsonLines from "@zain/process/JsonLines"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as PrivateDirectory from "@zain/process/PrivateDirectory"
import * as StderrTail from "@zain/process/StderrTail"
import type { AgentFacts, AskedProgram } from "@zain/sdk-client/AgentFacts"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Variables } from "../SafePath.ts"

/**
 * How a program ended without an answer. `errors`: the end of its standard error, without colours and secrets
 *
 * - `NotStarted`: spawning failed; `why` is a sentence with the command
 * - `TimedOut`: no answer within `limit`
 * - `Ended`: `exitCode` is `undefined` after a signal
 */
export type Silence =
  | { readonly _tag: "NotStarted"; readonly why: string }
  | { readonly _tag: "TimedOut"; readonly limit: Duration.Duration; readonly errors: string }
  | { readonly _tag: "Ended"; readonly exitCode: number | undefined; readonly errors: string }

/** `output`: its standard output, at most 64 KiB. `errors`: the end of its standard error */
export interface Printed {
  readonly output: string
  readonly errors: string
}

/** The failure as a sentence. */
export const inWords = (what: string, silence: Silence): string => {
  switch (silence._tag) {
    case "NotStarted":
      return silence.why
    case "TimedOut":
      return `${what} timed out after ${Duration.format(silence.limit)}.${StderrTail.lastWords(silence.errors)}`
    case "Ended": {
      const how = silence.exitCode === undefined ? "was ended by a signal" : `exited with code ${silence.exitCode}`
      return `${what} ${how} without an answer.${StderrTail.lastWords(silence.errors)}`
    }
  }
}

/** An agent's program. `run` runs it with empty input, and returns its output. */
export interface Program extends AskedProgram<Silence> {
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<Printed, Silence>
}

export interface Programs {
  /** Returns a program by its absolute path. */
  readonly of: (facts: AgentFacts, command: string) => Program
  /** The empty directory in which they run. */
  readonly directory: string
}

const maxOutputBytes = 64 * 1024
const maxLineBytes = 16 * 1024 * 1024

/** The agent's variables. */
export const variables = ({ quiet }: AgentFacts, path: string): Readonly<Record<string, string>> => ({
  ...quiet,
  NO_COLOR: "1",
  PATH: path,
})

/**
 * Processes and the directory are released with the Scope.
 *
 * @param env the host's environment
 * @param path the PATH of the programs
 * @param limit the time limit of each run
 */
export const make = Effect.fnUntraced(function* (
  env: Variables,
  path: string,
  limit: Duration.Duration,
): Effect.fn.Return<Programs, never, Scope.Scope> {
  const guarded = yield* Layer.build(HostGuard.layer)
  const directory = yield* PrivateDirectory.make().pipe(Effect.orDie, Effect.provideContext(guarded))
  return { directory, of: (facts, command) => program(facts, command, { guarded, directory, env, path, limit }) }
})

interface Place {
  readonly guarded: Context.Context<HostGuard.HostGuard>
  readonly directory: string
  readonly env: Variables
  readonly path: string
  readonly limit: Duration.Duration
}

const program = (facts: AgentFacts, command: string, { directory, env, guarded, limit, path }: Place): Program => {
  const given = Environment.make(env, facts.environment)
  const target = {
    command,
    cwd: directory,
    env: { ...given.env, ...variables(facts, path) },
    secrets: given.secrets,
    closeGrace: Duration.seconds(1),
  }

  /** Runs a program within the limit. */
  const within = <A>(
    args: ReadonlyArray<string>,
    work: (process: OwnedProcess.OwnedProcess) => Effect.Effect<A, Silence>,
  ): Effect.Effect<A, Silence> =>
    OwnedProcess.start({ ...target, args }).pipe(
      Effect.mapError(({ message }): Silence => ({ _tag: "NotStarted", why: message })),
      Effect.flatMap((process) =>
        Effect.timeoutOrElse(work(process), {
          duration: limit,
          orElse: () => Effect.fail<Silence>({ _tag: "TimedOut", limit, errors: errorsOf(process) }),
        }),
      ),
      Effect.scoped,
      Effect.provideContext(guarded),
    )

  const run = (args: ReadonlyArray<string>) =>
    within(args, (process) =>
      Effect.map(OwnedProcess.output(process, maxOutputBytes), (output) => ({ output, errors: errorsOf(process) })),
    )
  return {
    run,
    print: (args) => Effect.map(run(args), ({ output }) => output),
    converse: (args, first, answer) =>
      within(args, (process) =>
        JsonLines.ask(process, { first: [first], answer, maxLineBytes: maxLineBytes }).pipe(
          // A process that closed its pipes may still run until the limit.
          Effect.catch(() => over(process)),
        ),
      ),
  }
}

const over = (process: OwnedProcess.OwnedProcess): Effect.Effect<never, Silence> =>
  Effect.callback((resume) => process.onEnd(() => resume(Effect.fail(ended(process)))))

const ended = (process: OwnedProcess.OwnedProcess): Silence => ({
  _tag: "Ended",
  exitCode: process.diagnostics().exitCode,
  errors: errorsOf(process),
})

const errorsOf = ({ diagnostics }: OwnedProcess.OwnedProcess): string => diagnostics().stderrTail ?? ""
