/**
 * What is known of an agent's program, as one value: each agent's package has one, and every command reads it.
 */
import type { JsonObject } from "@zain/process/JsonLines"
import type * as Effect from "effect/Effect"

export type Version = readonly [major: number, minor: number, patch: number]

/**
 * - `unknown`: the agent does not report it
 * - `how`: by what it is logged in, in words
 */
export interface Login {
  readonly state: "in" | "out" | "not-needed" | "unknown"
  readonly how?: string
}

/**
 * What an agent reports about itself.
 *
 * - `trouble`: the file of its configuration that it could not use, and its own words; it runs without that file
 * - `trusted`: the directories whose settings its user lets count
 * - `isElsewhere`: its model is at an address that its user has set, which may ask for no login
 */
export interface LoginAnswer {
  readonly login: Login
  readonly trouble?: { readonly path: string; readonly what: string }
  readonly trusted?: ReadonlyArray<string>
  readonly isElsewhere?: boolean
}

/**
 * The agent's program, ready to be asked; every question starts it anew, and `E` says why there is no answer.
 *
 * - `print`: what it prints to standard output, whatever its exit code
 * - `converse`: writes `first` to it as a line of JSON, and reads its lines until `answer` returns a value; `send` writes one more
 */
export interface AskedProgram<E> {
  readonly print: (args: ReadonlyArray<string>) => Effect.Effect<string, E>
  readonly converse: <A>(
    args: ReadonlyArray<string>,
    first: object,
    answer: (message: JsonObject, send: (message: object) => void) => A | undefined,
  ) => Effect.Effect<A, E>
}

/**
 * - `name`: the provider's name: `provider` of a response, and what `--provider` takes
 * - `title`: what people call it
 * - `program`: what it is called on `PATH`
 * - `install`, `logIn`: the commands that install it, and that log in
 * - `environment`: the variables of the host's environment that reach it, beside the usual ones; a name may end in `*`.
 *   The one list: the client, its server, `zain doctor` and LoopSmith pass these and no others
 * - `home`: the variable that names its directory, which it does not start without
 * - `quiet`: variables that turn off updates and statistics while it answers a question
 * - `server`: the program that serves it over MCP
 * - `factory`: the name of the module that makes its connections
 * - `vendor`: `gen_ai.provider.name` of its spans and metrics
 * - `oldest`, `tried`: the oldest version that `server` is for, and the newest that this release was tried with
 * - `ownOnly`: what to use with a version before `oldest`
 * - `ownServer`: the arguments that make a version an MCP server of its own, if it has one
 * - `gone`: what to say of a version that has none
 * - `question`, `protocol`: the commands that are asked about the login, and that `server` speaks with
 * - `login`: asks it whether it is logged in
 */
export interface AgentFacts {
  readonly name: string
  readonly title: string
  readonly program: string
  readonly install: string
  readonly logIn: string
  readonly environment: ReadonlyArray<string>
  readonly home?: string
  readonly quiet: Readonly<Record<string, string>>
  readonly server: string
  readonly factory: string
  readonly vendor: string
  readonly oldest: Version
  readonly tried: Version
  readonly ownOnly?: string
  readonly ownServer: (version: Version) => ReadonlyArray<string> | undefined
  readonly gone?: string
  readonly question: string
  readonly protocol: string
  readonly login: <E>(program: AskedProgram<E>) => Effect.Effect<LoginAnswer, E>
}
