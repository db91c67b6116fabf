/**
 * Probes the MCP servers of an agent: Zain's, and its own if its version has one.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as McpServerProbe from "@zain/sdk-client/McpServerProbe"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Advice from "./Advice.ts"
import { about, type Finding } from "./Finding.ts"
import * as Programs from "./Programs.ts"
import * as ServerFindings from "./ServerFindings.ts"
import * as ServerSummary from "./ServerSummary.ts"
import * as Version from "./Version.ts"
import * as VersionCheck from "./VersionCheck.ts"

export interface Options {
  /** The time limit of each step of a handshake. */
  readonly timeout: Duration.Duration
  /** Values to redact. */
  readonly secrets: ReadonlyArray<string>
  /** The PATH of the servers. */
  readonly path: string
  readonly directory: string
  /** Receives the current step, for the status line. */
  readonly say: (text: string) => void
}

/** Limits of a probe: time, and bytes of a message. */
export const limits = (timeout: Duration.Duration) =>
  ({ connectTimeout: timeout, closeGrace: "1 second", maxMessageBytes: 4 * 1024 * 1024 }) as const

/** Probes a server of `--server` or of an agent. */
export const probe = Effect.fnUntraced(function* (
  subject: string,
  config: McpConnectionConfig.McpConnectionConfig,
  options: McpServerProbe.Options,
  say: (text: string) => void,
) {
  say(`${subject}: handshake`)
  const report = yield* McpServerProbe.probe(config, options)
  const findings = ServerFindings.make(subject, report, Advice.argument(subject))
  return { findings, summary: ServerSummary.make(subject, report) }
})

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
  const place = { command, cwd: directory, env: Programs.variables(facts, path), ...limits(timeout) }
  const add = Effect.fnUntraced(function* (subject: string, config: McpConnectionConfig.McpConnectionConfig) {
    const probed = yield* probe(subject, config, { environment: facts.environment, secrets }, say)
    findings.push(...probed.findings)
    servers.push(probed.summary)
  })
  if (VersionCheck.isServed(facts, version)) {
    const { local } = yield* Effect.promise(agent.client)
    yield* add(facts.server, local({ ...place, isolated: true }))
  }
  if (!Version.isPlaceholder(version)) {
    const args = facts.ownServer(version)
    if (args !== undefined) {
      yield* add(`${facts.title}'s own MCP server`, McpConnectionConfig.stdio({ ...place, args }))
    } else if (facts.gone !== undefined) findings.push(about(facts.title)("agent-own-server", facts.gone))
  }
  return { findings, servers }
})
