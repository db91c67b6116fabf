/**
 * The facts about an agent's program, as one value. Each agent's package exports one, and every command reads it.
 */
import type { JsonObject } from "@zain/process/JsonLines"
import type * as Effect from "effect/Effect"

/** The version of an agent's program, compared number by number. */
export type Version = readonly [major: number, minor: number, patch: number]

/** Whether an agent's program has credentials for its model provider. */
export interface Login {
  /** `unknown` when the program does not report it; `not-needed` when its model provider requires no credentials. */
  readonly state: "in" | "out" | "not-needed" | "unknown"
  /** The method of the login, in words, such as an account or an API key. Absent if the program does not report it. */
  readonly how?: string
}

/** The report of an agent's program about its login. */
export interface LoginAnswer {
  /** The login; its `state` is `unknown` if this version of the program cannot report it. */
  readonly login: Login
  /** The directories whose settings the program applies, because its user trusts them. */
  readonly trusted?: ReadonlyArray<string>
  /** True if the user configured another address for the model, which may require no login. */
  readonly isElsewhere?: boolean
}

/** A reason for which turns fail, or run with other settings than the user's. */
export interface StartTrouble {
  /** `config`: the program does not accept its configuration. `start`: something else prevents a conversation. */
  readonly kind: "config" | "start"
  /** The program's own message, with file and line if they are known. */
  readonly what: string
  /** The effect on turns, as a sentence. */
  readonly cause: string
  /** The remedy, as a sentence or a command. */
  readonly fix: string
}

/** The result of a start of an agent's program without a prompt. */
export interface StartAnswer {
  /** Empty if the program would now send a prompt to its model. */
  readonly troubles: ReadonlyArray<StartTrouble>
  /** The variable from which the program reads the key of its model provider. Absent if it reads none. */
  readonly keyVariable?: string
}

/** Runs an agent's program to query it. Each call starts a new process; `E` is the failure to run it or to get an answer. */
export interface AskedProgram<E> {
  /**
   * Returns what the program prints to standard output, whatever its exit code.
   *
   * @param args the arguments after the program's name, such as `auth` and `status`
   */
  readonly print: (args: ReadonlyArray<string>) => Effect.Effect<string, E>
  /**
   * Exchanges lines of JSON with the program until `answer` returns a value.
   *
   * @param args the arguments after the program's name, such as `app-server`
   * @param first the first message written to its standard input, as one line of JSON
   * @param answer reads each message of the program. It returns the result, or `undefined` to read on; its `send` writes
   *   one more message
   */
  readonly converse: <A>(
    args: ReadonlyArray<string>,
    first: object,
    answer: (message: JsonObject, send: (message: object) => void) => A | undefined,
  ) => Effect.Effect<A, E>
}

/** Everything that commands and servers need to find, start and describe one agent's program. */
export interface AgentFacts {
  /** The provider's name: `provider` of a response, and the value of `--provider`. */
  readonly name: string
  /** The agent's product name, as messages and pages write it. */
  readonly title: string
  /** The file name of the program on `PATH`, such as `claude`. */
  readonly program: string
  /** The shell command that installs the program, such as `npm install --global @openai/codex`. */
  readonly install: string
  /** The shell command with which a user logs in, such as `codex login`. */
  readonly logIn: string
  /**
   * The variables of the host's environment that reach the program, in addition to the default ones; a name may end in
   * `*`. The client, its server, `zain doctor` and LoopSmith all use this list, and pass no others.
   */
  readonly environment: ReadonlyArray<string>
  /**
   * The variable that names the program's home directory, if the program does not start when that directory does not
   * exist.
   */
  readonly home?: string
  /**
   * Environment variables that are added when Zain queries the program, such as for its version: they disable its
   * updates and statistics.
   */
  readonly quiet: Readonly<Record<string, string>>
  /**
   * Returns the path of the file in which the program's user configures MCP servers.
   *
   * @param env the environment of the program, with `HOME` or the variable of its directory
   */
  readonly servers?: (env: Readonly<Record<string, string | undefined>>) => string
  /** The program that serves the agent over MCP, such as `zain-codex-mcp`. */
  readonly server: string
  /** The name of the module that makes connections to the agent. */
  readonly factory: string
  /** The value of `gen_ai.provider.name` in its spans and metrics. */
  readonly vendor: string
  /** The oldest version that `server` supports. */
  readonly oldest: Version
  /** The newest version that this release was tested with. */
  readonly tried: Version
  /** The remedy for a version before `oldest`, as the end of a message. */
  readonly ownOnly?: string
  /**
   * Returns the arguments that start the program as an MCP server of its own, or `undefined` if that version has none.
   *
   * @param version the version of the installed program, as its `--version` reports it
   */
  readonly ownServer: (version: Version) => ReadonlyArray<string> | undefined
  /** The message for a version without an MCP server of its own. Absent if every version has one. */
  readonly gone?: string
  /** The command that reports the login, as messages name it: `claude auth`, `codex app-server`. */
  readonly question: string
  /** The command of the program through which `server` drives it, such as `claude -p`. */
  readonly protocol: string
  /**
   * Asks the installed program whether it is logged in.
   *
   * @param program the installed program, which prints its output or exchanges lines of JSON
   */
  readonly login: <E>(program: AskedProgram<E>) => Effect.Effect<LoginAnswer, E>
  /**
   * Starts the installed program as for a turn, with its user's configuration, up to the request to the model. No prompt is
   * sent, and no conversation is stored.
   *
   * @param program the installed program, which prints its output or exchanges lines of JSON
   * @param env the variables that it starts with
   */
  readonly check: <E>(
    program: AskedProgram<E>,
    env: Readonly<Record<string, string | undefined>>,
  ) => Effect.Effect<StartAnswer, E>
}
