/**
 * Fake agents: MCP servers that speak the dialect of an agent and follow `ContractScript`. They run as a process over stdio
 * (`command`), or in this process over Streamable HTTP or SSE (`serve`) or without a network (`inMemory`).
 */
import type { FakeDialect } from "./FakeDialect.ts"
import { compileCache, logVariable, programOf, silentVariable } from "./FakePeerLog.ts"

export { type InMemory, inMemory } from "./FakePeerInMemory.ts"
export { forgets, type InProcess } from "./FakePeerInProcess.ts"
export { observe } from "./FakePeerObservation.ts"
export { type Served, type ServeOptions, serve } from "./FakePeerServed.ts"

/** The options of `command`: where the fake agent's process logs, and whether it answers at all. */
export interface CommandOptions {
  /** The file in which the process logs prompts, cancels and its own start, for `observe`; no log by default. */
  readonly log?: string
  /** Whether the server never answers, not even the handshake; `false` by default. */
  readonly silent?: boolean
}

/** A command line for `McpConnectionConfig.stdio`. */
export interface Command {
  /** The path of the Node that runs this process. */
  readonly command: string
  /**
   * The arguments of Node: the program of the fake, the URL of its dialect's module, and those that the adapter expects
   * of the agent's own MCP server, such as `mcp-server`.
   */
  readonly args: ReadonlyArray<string>
  /** The variables by which the program receives `CommandOptions`, and this process's `NODE_COMPILE_CACHE`. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Returns the command line that starts a fake agent's MCP server as a process.
 *
 * @param dialect the agent's dialect, such as `fakeCodex` of `@zain/codex-client/fake`
 * @param options `log`: where to log, nowhere by default; `silent`: whether the server never answers, `false` by
 *   default
 *
 * @example
 * ```ts
 * import { type FakeDialect, FakePeer } from "@zain/contract-tests"
 * import { McpConnectionConfig } from "@zain/core"
 *
 * const config = (dialect: FakeDialect.FakeDialect) =>
 *   McpConnectionConfig.stdio(FakePeer.command(dialect, { log: "/tmp/peer.log" }))
 * ```
 */
export const command = ({ server: { args, module } }: FakeDialect, { log, silent }: CommandOptions = {}): Command => ({
  command: process.execPath,
  args: [...programOf("FakePeerProcess"), module, ...args],
  env: {
    ...(log === undefined ? {} : { [logVariable]: log }),
    ...(silent === true ? { [silentVariable]: "1" } : {}),
    ...compileCache(),
  },
})
