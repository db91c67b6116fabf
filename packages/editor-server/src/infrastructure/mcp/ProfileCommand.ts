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

/** How an editor is started. */
export interface LaunchOptions extends ProfileOptions {
  /** What it opens. */
  readonly file: string | undefined
  /** The directory that files are opened and saved below; without it none are. */
  readonly files: string | undefined
}

/** `fake`, `replay`: whether the editor is none. */
export interface ServedOptions extends ProfileOptions {
  readonly fake: boolean
  readonly replay: string | undefined
}

/**
 * - `places`: where such editors may be found now; `usualPlaces`: the same in words
 */
export interface ProfileCommand {
  readonly name: string
  readonly about: string
  /** Loads it, as the options make it. */
  readonly profile: (options?: ProfileOptions) => Promise<EditorProfile>
  /**
   * Whether clients over http, sse and ws need a token, also on an address that only this machine reaches: its other
   * users reach that too. Without `--token-file` the server makes one. False if absent.
   */
  readonly needsToken?: (options: ServedOptions) => boolean
  /** The options that are for this profile, and for no other that does not name them too. */
  readonly ownOptions?: ReadonlyArray<string>
  /**
   * An editor of this kind that is started when a call needs it, and ends with the Scope; fails with one sentence on an
   * option that cannot be applied.
   */
  readonly launch?: (options: LaunchOptions, env: Environment) => Effect.Effect<Sought, string, Scope.Scope>
  /** Where the editor listens by the environment, or one sentence on what is missing. */
  readonly target: (env: Environment) => Result.Result<Target, string>
  /** What a value of `--editor` means; `HOST:PORT` where it is absent. */
  readonly editor?: (given: string, env: Environment) => Result.Result<Target, string>
  /** Where http, sse and ws listen by default, and the variables that say otherwise. */
  readonly listening?: {
    readonly port: number
    /** The lines of the help on its environment. */
    readonly variables: { readonly host: string; readonly port: string }
  }
  /** What else the environment says, or one sentence on what is wrong. */
  readonly environment: (env: Environment) => Result.Result<FromEnvironment, string>
  readonly places: (env: Environment) => Effect.Effect<ReadonlyArray<Place>>
  readonly usualPlaces: string
  /** Whether it has search_tools, so that tools need not be listed. */
  readonly hasSearch: boolean
  /** Which tools a client is given. */
  readonly select: (env: Environment, isCompact: boolean) => Promise<Select>
  /** Where the log of `MCP_DEBUG` goes. */
  readonly logDirectory: (env: Environment) => string
  /** Starts an editor of this kind that is none, on a free port. */
  readonly fake: () => Promise<Effect.Effect<Pick<Place, "port" | "token">, Error, Scope.Scope>>
  readonly variables: string
}
