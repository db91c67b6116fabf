/** The adapters of this repository as subjects of the fault suite. */
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { McpClientFaultSuite } from "@zain/contract-tests"
import { McpConnectionConfig, McpProvider } from "@zain/core"
import { agents } from "../Agents.ts"

const text = McpClientFaultSuite.answerText

/** @param more the arguments that the adapter expects at the end of a command line */
const config =
  (...more: ReadonlyArray<string>): McpClientFaultSuite.FaultSubject["config"] =>
  (place) => {
    if (place.transport === "stdio") {
      const { args, command, env } = place
      return McpConnectionConfig.stdio({ command, env, args: [...args, ...more] })
    }
    const { headers, transport, url } = place
    const http = transport === "sse" ? McpConnectionConfig.sse : McpConnectionConfig.streamableHttp
    return http({ url, headers })
  }

/** Codex's own dialect, valid and malformed. Every adapter receives it, and only Codex's may accept it. */
const dialect: McpClientFaultSuite.PeerDialect = {
  version: "codex-cli 0.153.4",
  question: {
    codex_elicitation: "exec-approval",
    codex_command: ["touch", "approved"],
    codex_cwd: "/srv",
    threadId: "thread-1",
  },
  strangeQuestions: [
    { codex_elicitation: ["exec-approval"], codex_command: { rm: "-rf" }, codex_cwd: 7 },
    { codex_elicitation: "patch-approval", codex_changes: [7], codex_grant_root: {} },
  ],
  event: {
    method: "codex/event",
    member: "msg",
    text: { type: "agent_message_content_delta" },
    strange: [
      ...[null, 7, [], {}, { type: 7 }, { type: "no_such_type" }, { type: "agent_message_content_delta" }],
      ...[{ type: "agent_message_content_delta", delta: 7 }, { type: "exec_command_begin" }, { type: "task_complete" }],
      ...[
        { type: "exec_command_begin", call_id: 1, command: "rm" },
        { type: "exec_command_end", exit_code: "none" },
      ],
      ...[
        { type: "token_count", info: null },
        { type: "token_count", info: { last_token_usage: { input_tokens: "x" } } },
      ],
      ...[
        { type: "patch_apply_begin", changes: [] },
        { type: "mcp_tool_call_end", result: 7, invocation: null },
      ],
    ],
  },
}

/** The common members of Codex's own server and of the agent server. */
const answer = { content: [{ type: "text", text }], structuredContent: { threadId: "thread-1", content: text } }

const everywhere = { answer, dialect, transports: ["stdio", "streamable-http", "sse"] } as const

export const codex: McpClientFaultSuite.FaultSubject = {
  ...everywhere,
  name: "Codex",
  provider: McpProvider.codex,
  make: CodexMcpClientAdapter.make({ profile: "native" }),
  config: config("mcp-server"),
}

/** Each agent of the list, behind the agent server. */
export const servers: ReadonlyArray<McpClientFaultSuite.FaultSubject> = agents.map(({ make, name, title }) => ({
  ...{ ...everywhere, make, config: config() },
  name: `${title} behind the agent server`,
  provider: name,
}))

/** One of them over stdio, where the client's sessions share a server. */
export const shared = servers.slice(0, 1).map(
  (subject): McpClientFaultSuite.FaultSubject => ({
    ...subject,
    name: `${subject.name}, shared`,
    config: (place) => ({ ...config("shared")(place), shared: true }),
    transports: ["stdio"],
    cannot: { "stdin-closed-while-idle": "a connection that the server closes is closed in both directions" },
  }),
)

/** The result of `Agent` and `SendMessage` in one; the reply of a later turn arrives through a hook. */
const report = {
  ...{ status: "completed", agentId: "agent-1", harnessNoteCount: 0, success: true },
  content: [{ type: "text", text }],
}

const hook = new URL("../programs/HookedPeer.ts", import.meta.url).href

export const claudeCode: McpClientFaultSuite.FaultSubject = {
  name: "Claude Code",
  provider: McpProvider.claudeCode,
  make: ClaudeCodeMcpClientAdapter.make({ profile: "native" }),
  config: (place) =>
    config("mcp", "serve")(place.transport === "stdio" ? { ...place, args: ["--import", hook, ...place.args] } : place),
  answer: { content: [{ type: "text", text: JSON.stringify(report) }] },
  dialect,
  transports: ["stdio"],
  cannot: {
    "result-proto-keys": "its answer is JSON within a text, which the peer would break",
    "result-schema-mismatch": "its answer is text, and structured content beside it is not read",
  },
}
