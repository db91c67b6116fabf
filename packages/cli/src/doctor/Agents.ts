/**
 * What is different about the agents, for their doctor.
 */
import * as ClaudeCodeTransportFactory from "@zain/claude-code-client/ClaudeCodeTransportFactory"
import * as CodexTransportFactory from "@zain/codex-client/CodexTransportFactory"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import { type AgentName, type AgentProgram, programs } from "../AgentProgram.ts"
import * as Login from "./Login.ts"
import type * as Programs from "./Programs.ts"
import type { Version } from "./Version.ts"

/** What every connection to an agent is made of. */
export interface Place extends McpConnectionConfig.McpLimits {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * - `factory`: what makes connections to it
 * - `oldest`, `tried`: the oldest version that the agent server is for, and the newest that this release was tried with
 * - `server`: the agent server's command
 * - `viaServer`: how the agent is reached behind it
 * - `own`: how its own MCP server is reached, where its version has one
 * - `gone`: what to say of a version without one
 * - `ownOnly`: what to say of a version that the agent server is not for
 * - `login`: asks it whether it is logged in
 * - `home`: the variable that names its directory, which has to be there
 * - `question`: the command that is asked for that
 * - `protocol`: what the agent server speaks with it
 */
export interface AgentKind extends AgentProgram {
  readonly name: AgentName
  readonly factory: string
  readonly oldest: Version
  readonly tried: Version
  readonly server: string
  readonly viaServer: (place: Place) => McpConnectionConfig.McpConnectionConfig
  readonly own: (place: Place, version: Version) => McpConnectionConfig.McpConnectionConfig | undefined
  readonly gone?: string
  readonly ownOnly?: string
  readonly login: (
    programs: Programs.Programs,
    program: string,
  ) => Effect.Effect<Programs.Answered<Login.Said> | Programs.Silence>
  readonly home?: string
  readonly question: string
  readonly protocol: string
}

/** The first Codex without an MCP server. */
const withoutServer: Version = [0, 154, 0]
const hasOwnServer = ([major, minor]: Version) => major === withoutServer[0] && minor < withoutServer[1]

const codex: AgentKind = {
  ...programs.codex,
  name: "codex",
  factory: "CodexTransportFactory",
  oldest: withoutServer,
  tried: [0, 169, 0],
  server: "zain-codex-mcp",
  viaServer: CodexTransportFactory.local,
  // As CodexTransportFactory.native() does, without statistics.
  own: (place, version) =>
    hasOwnServer(version)
      ? McpConnectionConfig.stdio({ ...place, args: [...Login.codexQuiet, "mcp-server"] })
      : undefined,
  gone:
    "It has no MCP server of its own: codex mcp-server was removed in 0.154. zain-codex-mcp (@zain/cli) " +
    "replaces it, and CodexTransportFactory.local() uses that.",
  ownOnly:
    'CodexMcpClientAdapter.make({ profile: "native" }) with CodexTransportFactory.native() works with this version, ' +
    "codex mcp-server; zain-codex-mcp and CodexTransportFactory.local() are for 0.154 and later.",
  login: (programs, program) => programs.ask(program, Login.codexArguments, Login.codexAnswers(), Login.codexFirst),
  home: "CODEX_HOME",
  question: "codex app-server",
  protocol: "codex app-server",
}

const said = (login: Login.Login) => ({ _tag: "Answered" as const, answer: { login } })

const claudeCode: AgentKind = {
  ...programs["claude-code"],
  name: "claude-code",
  factory: "ClaudeCodeTransportFactory",
  oldest: [2, 1, 0],
  tried: [2, 1, 329],
  server: "zain-claude-code-mcp",
  viaServer: ClaudeCodeTransportFactory.local,
  own: (place) => ClaudeCodeTransportFactory.native(place),
  login: (programs, program) =>
    Effect.gen(function* () {
      const help = yield* programs.run(program, Login.claudeHelpArguments)
      if (help._tag !== "Printed") return help
      if (!Login.claudeKnowsStatus(help.output)) return said({ state: "unknown" })
      const printed = yield* programs.run(program, Login.claudeArguments)
      return printed._tag === "Printed" ? said(Login.claudeAnswer(printed.output)) : printed
    }),
  question: "claude auth",
  protocol: "claude -p",
}

export const kinds: Readonly<Record<AgentName, AgentKind>> = { codex, "claude-code": claudeCode }
