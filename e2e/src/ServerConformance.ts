/**
 * The official conformance runner, for the server scenarios that are the agent server's to pass.
 */
import * as Effect from "effect/Effect"
import * as ConformanceRunner from "./ConformanceRunner.ts"
import * as Programs from "./Programs.ts"

/** How many checks each scenario makes. */
export const scenarios = {
  "server-initialize": 1,
  ping: 1,
  "tools-list": 1,
  "server-sse-multiple-streams": 2,
  "dns-rebinding-protection": 2,
} as const
export type Scenario = keyof typeof scenarios

const fixedTool = (tool: string) => `calls the tool ${tool} of the runner's own example server`
const because = (why: string, ...scenarios: ReadonlyArray<string>) =>
  Object.fromEntries(scenarios.map((scenario) => [scenario, why]))

/** Why every other scenario is none for the agent server. */
export const others: Readonly<Record<string, string>> = {
  "logging-set-level": "the agent server declares no logging: what an agent says are events of its call",
  "completion-complete": "the agent server has nothing to complete: no prompts, no resource templates",
  "tools-call-simple-text": fixedTool("test_simple_text"),
  "tools-call-image": fixedTool("test_image_content"),
  "tools-call-audio": fixedTool("test_audio_content"),
  "tools-call-embedded-resource": fixedTool("test_embedded_resource"),
  "tools-call-mixed-content": fixedTool("test_multiple_content_types"),
  "tools-call-with-logging": fixedTool("test_tool_with_logging"),
  "tools-call-error": fixedTool("test_error_handling"),
  "tools-call-with-progress": fixedTool("test_tool_with_progress"),
  "tools-call-sampling": fixedTool("test_sampling"),
  "tools-call-elicitation": fixedTool("test_elicitation"),
  "json-schema-2020-12": "looks for the tool json_schema_2020_12_tool of the runner's own example server",
  "elicitation-sep1034-defaults": fixedTool("test_elicitation_sep1034_defaults"),
  "elicitation-sep1330-enums": fixedTool("test_elicitation_sep1330_enums"),
  "server-sse-polling": `${fixedTool("test_reconnection")}, which closes its stream; without it, it makes no check`,
  ...because("the agent server has no resources", "resources-list", "resources-read-text", "resources-read-binary"),
  ...because(
    "the agent server has no resources",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
  ),
  ...because("the agent server has no prompts", "prompts-list", "prompts-get-simple", "prompts-get-with-args"),
  ...because("the agent server has no prompts", "prompts-get-embedded-resource", "prompts-get-with-image"),
}

/** The commands of the agent server. No scenario asks for an agent. */
export const commands = ["zain-codex-mcp", "zain-claude-code-mcp"] as const

/** Runs one scenario against a server. */
export const check = (scenario: Scenario, url: string) =>
  ConformanceRunner.judge(scenario, scenarios[scenario], "server", "--url", url)

/** The server scenarios that the runner has. */
export const listed = async (): Promise<ReadonlyArray<string>> => {
  const { stdout } = await ConformanceRunner.run("list", "--server")
  const [, part = ""] = /^Server scenarios.*\n((?: {2}- .*\n)*)/m.exec(stdout) ?? []
  return [...part.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => String(name))
}

/** A command of the agent server over Streamable HTTP, until the Scope closes. Gives its address. */
export const serve = (command: (typeof commands)[number]) => {
  const args = ["http", "--port", "0", "--json", "--command", process.execPath]
  const server = Programs.serve(() => Programs.start(`packages/cli/dist/${command}.js`, {}, args))
  return Effect.map(server, ({ url }) => url)
}
