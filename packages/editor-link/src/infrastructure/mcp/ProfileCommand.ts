/**
 * The command line of a profile, as a value.
 */
import type { Environment } from "@zain/command/OptionTable"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import type { Language } from "../../domain/Language.ts"
import type { Place, Sought, Target } from "../link/Target.ts"
import type { EditorSettings, Select } from "./EditorSettings.ts"

/** Settings of the environment, overridden by options. */
export interface FromEnvironment {
  readonly timeout?: Duration.Duration
  readonly projectRoot?: string
  readonly clientLogLevel?: EditorSettings["clientLogLevel"]
}

/** `code`: whether code of clients runs in the editor; `language`: of descriptions, where they are the server's own. */
export interface ProfileOptions {
  readonly code: boolean
  readonly language: Language
}

/** How an editor is started. */
export interface LaunchOptions extends Pick<ProfileOptions, "code"> {
  /** The file that it opens. */
  readonly file: string | undefined
  /** The directory below which files are read and written. Default: none. */
  readonly files: string | undefined
}

/** `fake`, `replay`: whether the editor is simulated. */
export interface ServedOptions extends Pick<ProfileOptions, "code"> {
  readonly fake: boolean
  readonly replay: string | undefined
}

/**
 * - `places`: where such editors may be found now; `usualPlaces`: the same in words
 */
export interface ProfileCommand {
  readonly name: string
  readonly about: string
  /** Loads the profile for these options. */
  readonly profile: (options?: ProfileOptions) => Promise<EditorProfile>
  /**
   * Whether clients over http, sse and ws require a token on loopback too, which other users of the machine can reach.
   * Without `--token-file` the server makes one. Default: false.
   */
  readonly needsToken?: (options: ServedOptions) => boolean
  /** Options that only profiles which name them accept. */
  readonly ownOptions?: ReadonlyArray<string>
  /**
   * An editor of this kind that is started when a call needs it, and ends with the Scope; fails with one sentence on an
   * option that cannot be applied.
   */
  readonly launch?: (options: LaunchOptions, env: Environment) => Effect.Effect<Sought, string, Scope.Scope>
  /** Reads the editor's address from the environment, or fails with one sentence. */
  readonly target: (env: Environment) => Result.Result<Target, string>
  /** Parses a value of `--editor`. Default: `HOST:PORT`. */
  readonly editor?: (given: string, env: Environment) => Result.Result<Target, string>
  /** The default address of http, sse and ws, and the variables that override it. */
  readonly listening?: {
    readonly port: number
    /** The lines of the help on its environment. */
    readonly variables: { readonly host: string; readonly port: string }
  }
  /** Reads other settings of the environment, or fails with one sentence. */
  readonly environment?: (env: Environment) => Result.Result<FromEnvironment, string>
  readonly places: (env: Environment) => Effect.Effect<ReadonlyArray<Place>>
  readonly usualPlaces: string
  /** Selects the tools of a client; `--compact` requires it, for its search_tools. Default: all of them. */
  readonly select?: (env: Environment, isCompact: boolean) => Promise<Select>
  /** The directory of the log of `MCP_DEBUG`. Default: `$XDG_STATE_HOME/zain/logs`, or the same below `~/.local/state`. */
  readonly logDirectory?: (env: Environment) => string
  /** Starts a fake editor of this kind on a free port. */
  readonly fake: () => Promise<Effect.Effect<Pick<Place, "port" | "token">, Error, Scope.Scope>>
  readonly variables: string
}
