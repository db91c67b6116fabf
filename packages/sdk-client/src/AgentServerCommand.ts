/**
 * Configurations that start an agent's MCP server from this installation, with the Node that runs this process.
 *
 * @see docs/guides/bundle.md
 */
import { existsSync } from "node:fs"
import { posix, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/**
 * The options of an agent server that this process starts, beside the limits of `McpConnectionConfig.stdio`. The server
 * passes `env` on to the agent, for example a key of its model provider.
 */
export interface LocalOptions
  extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "cwd" | "providerOptions" | "shared"> {
  /** The agent's program: a name on `PATH` or a path. By default the agent's usual command. */
  readonly command?: string
  /**
   * The program of the agent's MCP server, for bundles: the path of a `.js` file, such as `zain-codex-mcp.js` in a copy of
   * the directory `bin` of the client's package, or another command. If omitted, the program is found by itself.
   */
  readonly server?: string
  /**
   * The directory to start the server in; this process's working directory by default. The agent works in it too,
   * unless its own option `options.cwd` names another. If it does not exist, `openSession` fails with `spawn-failed`.
   */
  readonly cwd?: string
  /**
   * How long the agent's model provider may be unreachable before the turn fails: text such as `"30 seconds"`, or
   * milliseconds. If omitted, Zain sets no limit, and the agent itself decides when to give up. For as long, 15 minutes if
   * omitted, an agent that is silent without a running tool counts as waiting for its model; then `idleTimeout` runs.
   */
  readonly modelTimeout?: Duration.Input
  /**
   * How long the agent may take to accept a prompt, and each request before it, before the turn fails with `stalled`. 30
   * seconds by default.
   */
  readonly acceptTimeout?: Duration.Input
  /**
   * True to start an agent server, and with it an agent, for each session. By default the client's sessions with the same
   * program, arguments, environment and directory share one, which ends with the last of them. Only the server of this
   * package's version is shared: a command that `server` names is started for each session.
   */
  readonly isolated?: boolean
  /** How long the server waits for an approval before it declines. 5 minutes by default; the policy's own limit may be shorter. */
  readonly approvalTimeout?: Duration.Input
}

/** The program of an agent's MCP server, and where to find it. */
export interface Program {
  /** The program as a package exports it, such as `@zain/codex-client/zain-codex-mcp`. Its last part is its file name. */
  readonly program: string
  /** The agent's usual command, used if `LocalOptions.command` is omitted. */
  readonly agent: string
  /** The URL of the calling module (`import.meta.url`), in that package or in a bundle; some bundlers make it `undefined`. */
  readonly from: string | undefined
}

/**
 * Returns the configuration of an agent's MCP server over stdio. The program is `server` of the options; else the file
 * beside the calling module, its bundle or its executable; else the one that the package exports to these; else the one on
 * `PATH`. If there is none, `openSession` fails with `ConnectionUnavailable`, reason `spawn-failed`. The working directory
 * is not searched. Invalid options fail when a session opens, with `InvalidRequest`, reason
 * `invalid-config`, or for an invalid duration with `ConnectionUnavailable` and the server's message.
 *
 * @param program the server's program; `from` is usually `import.meta.url` of the caller
 * @param options the agent's command, its environment, and the limits of the connection
 * @param providerOptions the provider's options for every session, as in `McpConnectionConfig`
 *
 * @example
 * ```ts
 * import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
 *
 * const program = { program: "@zain/codex-client/zain-codex-mcp", agent: "codex", from: import.meta.url }
 * const config = AgentServerCommand.config(program, { modelTimeout: "10 seconds" }, { model: "small" })
 * ```
 *
 * @see docs/guides/write-an-adapter.md
 */
export const config = (
  { agent, from, program }: Program,
  { acceptTimeout, approvalTimeout, command = agent, isolated = false, modelTimeout, server, ...rest }: LocalOptions,
  providerOptions: Readonly<Record<string, unknown>> | undefined,
): McpConnectionConfig.McpConnectionConfig => {
  const named = Object.keys(rest.env ?? {}).flatMap((name) => ["--env", name])
  const limits = {
    "--model-timeout": modelTimeout,
    "--accept-timeout": acceptTimeout,
    "--approval-timeout": approvalTimeout,
  }
  const start = server ?? find(program, from) ?? posix.basename(program)
  const isFile = /\.[cm]?[jt]s$/.test(start)
  // Another command may be of another version, which does not serve shared sessions.
  const kind = isFile && !isolated ? "shared" : "stdio"
  const args = [kind, "--command", command, ...named, ...Object.entries(limits).flatMap(inWords)]
  return McpConnectionConfig.stdio({
    ...rest,
    ...(kind === "shared" ? { shared: true } : {}),
    ...(isFile ? byNode(resolve(start), args, rest.env) : { command: start, args }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  })
}

/** In whole milliseconds: the server's command line reads no fractions. The server rejects what is not a duration. */
const inWords = ([flag, limit]: readonly [string, Duration.Input | undefined]): ReadonlyArray<string> => {
  if (limit === undefined) return []
  const millis = Option.map(Duration.fromInput(limit), (duration) => Math.ceil(Duration.toMillis(duration)))
  if (Option.isNone(millis)) return [flag, String(limit)]
  return [flag, millis.value > Number.MAX_SAFE_INTEGER ? "Infinity" : `${millis.value} millis`]
}

/** Whether this program is an executable that contains its code: of `bun build --compile`, or a single executable of Node. */
const isCompiled = (): boolean =>
  process.versions["bun"] !== undefined || process.getBuiltinModule("node:sea")?.isSea() === true

/** Electron's executable, and one that contains its code, are no Node. */
const byNode = (file: string, args: ReadonlyArray<string>, env: LocalOptions["env"]) => {
  const command = isCompiled() ? "node" : process.execPath
  const asNode = process.versions["electron"] === undefined ? {} : { env: { ...env, ELECTRON_RUN_AS_NODE: "1" } }
  return { command, args: [...conditions(process.execArgv), file, ...args], ...asNode }
}

/** The file of a bundle to CommonJS: `import.meta.url` has no value there, or that of the time of building. */
const bundle = (): string | undefined => attempt(() => __filename)

/**
 * Returns the file of an agent's MCP server: beside the calling module, its bundle or its executable, or else as the package
 * exports it to these; `undefined` if there is none. A package that a bundle finds above itself may have another version, so
 * the files beside all places come first.
 *
 * @param program the program as a package exports it, such as `@zain/codex-client/zain-codex-mcp`
 * @param from the URL of the calling module (`import.meta.url`); some bundlers make it `undefined`
 */
export const find = (program: string, from: string | undefined): string | undefined => {
  const files = [bundle(), isCompiled() ? process.execPath : undefined]
  const places = [from, ...files.map((file) => file && attempt(() => pathToFileURL(file).href))].filter(
    (place) => place !== undefined,
  )
  return first(places, (place) => beside(program, place)) ?? first(places, (place) => exported(program, place))
}

const first = (places: ReadonlyArray<string>, find: (place: string) => string | undefined): string | undefined => {
  for (const place of places) {
    const file = attempt(() => find(place))
    if (file !== undefined) return file
  }
  return undefined
}

const beside = (program: string, from: string): string | undefined => {
  const file = fileURLToPath(new URL(`${posix.basename(program)}.js`, from))
  return existsSync(file) ? file : undefined
}

/** By `getBuiltinModule`, as bundlers replace a call of an imported `createRequire`. */
const exported = (program: string, from: string): string =>
  process.getBuiltinModule("node:module").createRequire(from).resolve(program)

/** `undefined` if `find` throws: in some bundles a module has no file URL. */
const attempt = (find: () => string | undefined): string | undefined => {
  try {
    return find()
  } catch {
    return undefined
  }
}

/** The `--conditions` flags of this process: a program that was resolved under a condition resolves only under it. */
const conditions = (flags: ReadonlyArray<string>): ReadonlyArray<string> =>
  flags.flatMap((flag, at) => {
    if (/^(--conditions|-C)=/.test(flag)) return [`--conditions=${flag.slice(flag.indexOf("=") + 1)}`]
    return /^(--conditions|-C)$/.test(flag) && flags[at + 1] !== undefined ? [`--conditions=${flags[at + 1]}`] : []
  })
