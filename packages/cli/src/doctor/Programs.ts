/**
 * Agents as programs: started for a question, in a directory with nothing in it, and ended.
 */
import * as Environment from "@zain/process/Environment"
import * as HostGuard from "@zain/process/HostGuard"
import * as JsonLines from "@zain/process/JsonLines"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as PrivateDirectory from "@zain/process/PrivateDirectory"
import * as StderrTail from "@zain/process/StderrTail"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
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
  readonly _tag: "Printed"
  readonly output: string
  readonly exitCode: number | undefined
  readonly errors: string
}

/** What a program said that was asked for it. */
export interface Answered<A> {
  readonly _tag: "Answered"
  readonly answer: A
}

/** What became of it, in words. */
export const inWords = (what: string, silence: Silence): string => {
  switch (silence._tag) {
    case "NotStarted":
      return silence.why
    case "TimedOut":
      return `${what} did not answer within ${Duration.format(silence.limit)}.${StderrTail.lastWords(silence.errors)}`
    case "Ended": {
      const how = silence.exitCode === undefined ? "was ended by a signal" : `exited with code ${silence.exitCode}`
      return `${what} ${how} without an answer.${StderrTail.lastWords(silence.errors)}`
    }
  }
}

/**
 * - `run`: what a command prints. Its input is empty
 * - `ask`: says lines to a program, and hears its own until `answer` has what it wants
 * - `directory`: where they work
 */
export interface Programs {
  readonly run: (program: string, args: ReadonlyArray<string>) => Effect.Effect<Printed | Silence>
  readonly ask: <A>(
    program: string,
    args: ReadonlyArray<string>,
    answer: JsonLines.Question<A>["answer"],
    first: object,
  ) => Effect.Effect<Answered<A> | Silence>
  readonly directory: string
}

const outputLimit = 64 * 1024
const longestLine = 16 * 1024 * 1024

/** Nothing is updated, reported or looked up on the way. */
const quiet: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  NO_COLOR: "1",
}

/** What reaches agents of the host's environment, as with the agent server. */
export const passed: ReadonlyArray<string> = [
  "CODEX_*",
  "OPENAI_*",
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_CODE_*",
  "ANTHROPIC_*",
  "XDG_STATE_HOME",
  ...Environment.proxies,
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
]

/** What they get in place of the host's. */
export const variables = (path: string): Readonly<Record<string, string>> => ({ ...quiet, PATH: path })

/**
 * Whatever is started ends with the Scope, and the directory goes with it.
 *
 * @param env the host's environment
 * @param path where they find programs themselves
 * @param limit how long each may take
 */
export const make = (
  env: Variables,
  path: string,
  limit: Duration.Duration,
): Effect.Effect<Programs, never, Scope.Scope> =>
  Effect.gen(function* () {
    const guard = yield* HostGuard.make
    const directory = yield* Effect.orDie(PrivateDirectory.make(guard))
    const given = Environment.make(env, passed)
    const target = (command: string, args: ReadonlyArray<string>) => ({
      command,
      args,
      cwd: directory,
      env: { ...given.env, ...variables(path) },
      secrets: given.secrets,
      closeGrace: Duration.seconds(1),
    })
    const start = (command: string, args: ReadonlyArray<string>) => OwnedProcess.start(target(command, args), guard)

    /** Starts it, and gives it its time. */
    const within = <A>(
      command: string,
      args: ReadonlyArray<string>,
      work: (process: OwnedProcess.OwnedProcess) => Effect.Effect<A | Silence>,
    ): Effect.Effect<A | Silence> =>
      start(command, args).pipe(
        Effect.flatMap((process) =>
          Effect.timeoutOrElse(work(process), {
            duration: limit,
            orElse: () => Effect.succeed<Silence>({ _tag: "TimedOut", limit, errors: errorsOf(process) }),
          }),
        ),
        Effect.scoped,
        Effect.catch(({ message }) => Effect.succeed<Silence>({ _tag: "NotStarted", why: message })),
      )

    return {
      directory,
      run: (program, args) =>
        within(program, args, (process) =>
          Effect.map(OwnedProcess.output(process, outputLimit), (output) => ({
            _tag: "Printed" as const,
            output,
            ...endOf(process),
          })),
        ),
      ask: <A>(program: string, args: ReadonlyArray<string>, answer: JsonLines.Question<A>["answer"], first: object) =>
        within(program, args, (process) =>
          Effect.matchEffect(JsonLines.ask(process, { first: [first], answer, maxLineBytes: longestLine }), {
            onSuccess: (answer) => Effect.succeed<Answered<A> | Silence>({ _tag: "Answered", answer }),
            // One that closes its pipes and lives on is given its time.
            onFailure: () =>
              isOver(process) ? Effect.succeed({ _tag: "Ended" as const, ...endOf(process) }) : Effect.never,
          }),
        ),
    }
  })

const isOver = ({ diagnostics }: OwnedProcess.OwnedProcess): boolean => {
  const { exitCode, signal } = diagnostics()
  return exitCode !== undefined || signal !== undefined
}

const endOf = (process: OwnedProcess.OwnedProcess) => ({
  exitCode: process.diagnostics().exitCode,
  errors: errorsOf(process),
})

const errorsOf = ({ diagnostics }: OwnedProcess.OwnedProcess): string => diagnostics().stderrTail ?? ""
