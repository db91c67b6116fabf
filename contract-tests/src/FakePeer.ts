/**
 * Fake agents: MCP servers that speak the dialect of an agent and do what `ContractScript` tells them to. As a process over
 * stdio, or in this process: over Streamable HTTP, over SSE, or over nothing at all.
 */
import type { FakeDialect } from "./FakeDialect.ts"
import { compileCache, logVariable, programOf, silentVariable } from "./FakePeerLog.ts"

export { type InMemory, inMemory } from "./FakePeerInMemory.ts"
export { forgets, type InProcess } from "./FakePeerInProcess.ts"
export { observe } from "./FakePeerObservation.ts"
export { type Served, type ServeOptions, serve } from "./FakePeerServed.ts"

/**
 * - `log`: the file in which the process notes what it saw; `observe` reads it
 * - `silent`: never answer anything
 */
export interface CommandOptions {
  readonly log?: string
  readonly silent?: boolean
}

/** What `McpConnectionConfig.stdio` takes. */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/**
 * How to start a fake agent as a process.
 *
 * @param dialect the agent's, of its adapter's package
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
