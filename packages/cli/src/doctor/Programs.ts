/**
 * Agents as programs: started for a question, in a directory with nothing in it, and ended.
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
 * How a program's work ended, where it gave no answer. `errors`: the end of its standard error, without colours and secrets
 *
 * - `NotStarted`: `why`, a sentence with the command in it
 * - `TimedOut`: it was given `limit`
 * - `Ended`: `exitCode` is `undefined` for one that was ended by a signal
 */
export type Silence =
  | { readonly _tag: "NotStarted"; readonly why: string }
  | { readonly _tag: "TimedOut"; readonly limit: Duration.Duration; readonly errors: string }
  | { readonly _tag: "Ended"; readonly exitCode: number | undefined; readonly errors: string }

/** - `output`: what it printed, at most 64 KiB of it. `errors`: as above */
export interface Printed {
  readonly output: string
  readonly errors: string
}

/** What became of it, in words. */
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

/** An agent's program. `run`: what a command prints; its input is empty. */
export interface Program extends AskedProgram<Silence> {
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<Printed, Silence>
}

export interface Programs {
  /** An agent's program, by its whole path. */
  readonly of: (facts: AgentFacts, command: string) => Program
  /** Where they work. */
  readonly directory: string
}

const outputLimit = 64 * 1024
const longestLine = 16 * 1024 * 1024

/** What an agent gets in place of the host's variables. */
export const variables = ({ quiet }: AgentFacts, path: string): Readonly<Record<string, string>> => ({
  ...quiet,
  NO_COLOR: "1",
  PATH: path,
})

/**
 * Whatever is started ends with the Scope, and the directory goes with it.
 *
 * @param env the host's environment
 * @param path where they find programs themselves
 * @param limit how long each may take
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

  /** Starts it, and gives it its time. */
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
      Effect.map(OwnedProcess.output(process, outputLimit), (output) => ({ output, errors: errorsOf(process) })),
    )
  return {
    run,
    print: (args) => Effect.map(run(args), ({ output }) => output),
    converse: (args, first, answer) =>
      within(args, (process) =>
        JsonLines.ask(process, { first: [first], answer, maxLineBytes: longestLine }).pipe(
          // One that closes its pipes and lives on is given its time.
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
