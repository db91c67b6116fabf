/**
 * Facts about Codex: its program, its environment, its versions, its login, and its start.
 */
import * as McpProvider from "@zain/core/McpProvider"
import * as Environment from "@zain/process/Environment"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as CodexLoginQuestion from "./native/CodexLoginQuestion.ts"
import * as CodexStartCheck from "./native/CodexStartCheck.ts"
import { isWithoutServer, removedIn, serverArgument, tried } from "./native/CodexVersion.ts"

/**
 * Codex's program, the commands that install it and log it in, its versions, and the variables that it receives.
 *
 * @example
 * ```ts
 * import { facts } from "@zain/codex-client/CodexFacts"
 *
 * console.log(`Install ${facts.title} with: ${facts.install}`)
 * ```
 */
export const facts: AgentFacts = {
  name: McpProvider.codex,
  title: "Codex",
  program: "codex",
  install: "npm install --global @openai/codex",
  logIn: "codex login",
  environment: ["CODEX_*", "OPENAI_*", "XDG_STATE_HOME", ...Environment.proxies, "SSL_CERT_FILE", "SSL_CERT_DIR"],
  home: "CODEX_HOME",
  quiet: {},
  server: "zain-codex-mcp",
  factory: "CodexTransportFactory",
  vendor: "openai",
  oldest: removedIn,
  tried,
  ownOnly:
    'CodexMcpClientAdapter.make({ profile: "native" }) with CodexTransportFactory.native() works with this version, ' +
    "codex mcp-server; zain-codex-mcp and CodexTransportFactory.local() are for 0.154 and later.",
  ownServer: ([major, minor]) =>
    isWithoutServer(major, minor) ? undefined : [...CodexLoginQuestion.quietArguments, serverArgument],
  gone:
    "It has no MCP server of its own: codex mcp-server was removed in 0.154. zain-codex-mcp (@zain/cli) " +
    "replaces it, and CodexTransportFactory.local() uses that.",
  question: "codex app-server",
  protocol: "codex app-server",
  login: CodexLoginQuestion.ask,
  ...CodexStartCheck.facts,
}
