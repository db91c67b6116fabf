/**
 * Whether the MCP servers of an agent answer: ours, and its own where its version has one.
 */
import type { Agent } from "@zain/agents/Agent"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as McpServerProbe from "@zain/sdk-client/McpServerProbe"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { about, type Finding } from "./Finding.ts"
import * as Programs from "./Programs.ts"
import * as ServerFindings from "./ServerFindings.ts"
import * as ServerSummary from "./ServerSummary.ts"
import * as Version from "./Version.ts"
import * as VersionCheck from "./VersionCheck.ts"

/**
 * - `timeout`: how long each step of a handshake may take
 * - `secrets`: what must not be repeated
 * - `path`: where the servers find programs
 * - `say`: hears what is under way
 */
export interface Options {
  readonly timeout: Duration.Duration
  readonly secrets: ReadonlyArray<string>
  readonly path: string
  readonly directory: string
  readonly say: (text: string) => void
}

/** @param command the agent's program */
export const check = Effect.fnUntraced(function* (
  agent: Agent,
  facts: AgentFacts,
  command: string,
  version: Version.Version,
  { directory, path, say, secrets, timeout }: Options,
) {
  const findings: Array<Finding> = []
  const servers: Array<ServerSummary.ServerSummary> = []
  const limits = { connectTimeout: timeout, closeGrace: "1 second", maxMessageBytes: 4 * 1024 * 1024 } as const
  const place = { command, cwd: directory, env: Programs.variables(facts, path), ...limits }
  const probe = Effect.fnUntraced(function* (subject: string, config: McpConnectionConfig.McpConnectionConfig) {
    say(`${subject}: handshake`)
    const report = yield* McpServerProbe.probe(config, { environment: facts.environment, secrets })
    findings.push(...ServerFindings.make(subject, report, { kind: "argument", name: subject }))
    servers.push(ServerSummary.make(subject, report))
  })
  if (VersionCheck.isServed(facts, version)) {
    const { local } = yield* Effect.promise(agent.client)
    yield* probe(facts.server, local(place))
  }
  if (!Version.isPlaceholder(version)) {
    const args = facts.ownServer(version)
    if (args !== undefined) {
      yield* probe(`${facts.title}'s own MCP server`, McpConnectionConfig.stdio({ ...place, args }))
    } else if (facts.gone !== undefined) findings.push(about(facts.title)("ok", "agent-own-server", facts.gone))
  }
  return { findings, servers }
})
