/**
 * The agent server's commands in front of fake agents, as subjects of the contract suite.
 */
import { join } from "node:path"
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { McpConnectionConfig, type StdioOptions } from "@zain/core"
import type { McpTransport } from "@zain/core/McpTransport"
import { directory } from "@zain/testkit/Directory"
import { Effect, Schedule, type Scope } from "effect"
import * as Revived from "../../testing/agent-server/Revived.ts"
import type { Agent } from "../Agents.ts"

/** `running`: the agents that run now; `peer.leftovers` waits for them to end. */
export interface Served
  extends Omit<FakePeer.InProcess, "cannot">,
    Required<Pick<ContractSubject, "elsewhere" | "resume">> {
  readonly running: Effect.Effect<ReadonlyArray<string>>
}

/** Starts an agent server; returns its configurations and the observation of the agent behind it. `args`: more arguments. */
export const serve = Effect.fnUntraced(function* (
  agent: Agent,
  transport: McpTransport,
  { args = [], ...options }: FakeAgent.Options & { readonly args?: ReadonlyArray<string> } = {
    dies: "with-its-server",
  },
): Effect.fn.Return<Served, never, Scope.Scope> {
  const home = yield* directory
  const { command, peer } = yield* FakeAgent.install(agent.dialect, home, options)
  const turn = agent.dialect.turn === undefined ? {} : { turn: agent.dialect.turn }
  const elsewhere = (threadId: string) => stdio(agent, command, home, { providerOptions: { threadId } })
  if (transport === "stdio") {
    const log = join(home, "silent.log")
    return {
      config: stdio(agent, command, home, {}, args),
      ...turn,
      ...{ resume: elsewhere, elsewhere },
      unreachable: McpConnectionConfig.stdio({ command: "/nowhere/agent-server" }),
      silent: McpConnectionConfig.stdio(silentServer(agent, log)),
      peer: { ...peer, leftovers: soon(peer.leftovers) },
      running: peer.leftovers,
    }
  }
  const { silent, unreachable } = yield* FakePeer.serve(agent.dialect, { transport })
  const kind = transport === "sse" ? "sse" : "http"
  const serverUrl = yield* Revived.serve({
    args: [...argumentsOf(agent, command, kind), ...args, "--json", "--port", "0", "--allow-host", "127.0.0.1"],
    env: environment(home),
  })
  return {
    config: { transport, serverUrl },
    ...turn,
    resume: (threadId) => ({ transport, serverUrl, providerOptions: { threadId } }),
    elsewhere,
    ...{ unreachable, silent },
    peer: { ...peer, leftovers: soon(peer.leftovers) },
    running: peer.leftovers,
  }
})

/** The server that a client starts, in front of the agent's program `command`. */
export const stdio = (
  agent: Agent,
  command: string,
  home: string,
  options: Omit<StdioOptions, "command"> = {},
  args: ReadonlyArray<string> = [],
): McpConnectionConfig =>
  McpConnectionConfig.stdio({
    command: process.execPath,
    args: [...argumentsOf(agent, command, options.shared === false ? "stdio" : "shared"), ...args],
    shared: true,
    env: environment(home),
    cwd: home,
    ...options,
  })

const argumentsOf = ({ program }: Agent, command: string, kind: string) => [program, kind, "--command", command]

const environment = (home: string) => ({
  ...{ HOME: home, XDG_STATE_HOME: home, CLAUDE_CONFIG_DIR: home, CODEX_HOME: home, PATH: "/usr/bin:/bin" },
  ...compileCache(),
})

/** A command line that does not name the agent's server. */
const silentServer = ({ dialect }: Agent, log: string): FakePeer.Command => {
  const { args, ...rest } = FakePeer.command(dialect, { log, silent: true })
  return { ...rest, args: args.slice(0, -dialect.server.args.length) }
}

/** Agents end shortly after their server or their session, possibly after `closeSession` has returned. */
const soon = (leftovers: Effect.Effect<ReadonlyArray<string>>) =>
  Effect.repeat(leftovers, {
    until: (left) => left.length === 0,
    schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "1 minute" })),
  }).pipe(Effect.andThen(leftovers))
