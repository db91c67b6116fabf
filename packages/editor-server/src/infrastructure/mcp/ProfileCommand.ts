/**
 * What is different about a profile at the command line, as a value.
 */
import type { Environment } from "@zain/tool-server/OptionTable"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import type { Place, Sought, Target } from "../link/Target.ts"
import type { EditorSettings, Select } from "./EditorSettings.ts"

/** What the environment says, where arguments do not. */
export interface FromEnvironment {
  readonly timeout?: Duration.Duration
  readonly projectRoot?: string
  readonly clientLogLevel?: EditorSettings["clientLogLevel"]
}

/** `code`: whether code of clients runs in the editor. */
export interface ProfileOptions {
  readonly code: boolean
}

/**
 * How an editor is started.
 *
 * - `file`: what it opens
 * - `files`: the directory that files are opened and saved below; without it none are
 */
export interface LaunchOptions extends ProfileOptions {
  readonly file: string | undefined
  readonly files: string | undefined
}

/** `fake`, `replay`: whether the editor is none. */
export interface ServedOptions extends ProfileOptions {
  readonly fake: boolean
  readonly replay: string | undefined
}

/**
 * - `profile`: loads it, as the options make it
 * - `needsToken`: whether clients over http, sse and ws need a token, also on an address that only this machine reaches: its
 *   other users reach that too. Without `--token-file` the server makes one. False if absent
 * - `ownOptions`: the options that are for this profile, and for no other that does not name them too
 * - `launch`: an editor of this kind that is started when a call needs it, and ends with the Scope; fails with one sentence
 *   on an option that cannot be applied
 * - `target`: where the editor listens by the environment, or one sentence on what is missing
 * - `editor`: what a value of `--editor` means; `HOST:PORT` where it is absent
 * - `listening`: where http, sse and ws listen by default, and the variables that say otherwise
 * - `environment`: what else the environment says, or one sentence on what is wrong
 * - `places`: where such editors may be found now; `usualPlaces`: the same in words
 * - `hasSearch`: whether it has search_tools, so that tools need not be listed
 * - `select`: which tools a client is given
 * - `logDirectory`: where the log of `MCP_DEBUG` goes
 * - `fake`: starts an editor of this kind that is none, on a free port
 * - `variables`: the lines of the help on its environment
 */
export interface ProfileCommand {
  readonly name: string
  readonly about: string
  readonly profile: (options?: ProfileOptions) => Promise<EditorProfile>
  readonly needsToken?: (options: ServedOptions) => boolean
  readonly ownOptions?: ReadonlyArray<string>
  readonly launch?: (options: LaunchOptions, env: Environment) => Effect.Effect<Sought, string, Scope.Scope>
  readonly target: (env: Environment) => Result.Result<Target, string>
  readonly editor?: (given: string, env: Environment) => Result.Result<Target, string>
  readonly listening?: {
    readonly port: number
    readonly variables: { readonly host: string; readonly port: string }
  }
  readonly environment: (env: Environment) => Result.Result<FromEnvironment, string>
  readonly places: (env: Environment) => Effect.Effect<ReadonlyArray<Place>>
  readonly usualPlaces: string
  readonly hasSearch: boolean
  readonly select: (env: Environment, isCompact: boolean) => Promise<Select>
  readonly logDirectory: (env: Environment) => string
  readonly fake: () => Promise<Effect.Effect<Pick<Place, "port" | "token">, Error, Scope.Scope>>
  readonly variables: string
}
