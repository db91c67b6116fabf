/**
 * THE list: the agents of this repository. A new agent is one package and one entry here.
 */
import type { Agent } from "./Agent.ts"

export const agents: ReadonlyArray<Agent> = [
  {
    name: "codex",
    folder: "packages/codex-client",
    facts: async () => (await import("@zain/codex-client/CodexFacts")).facts,
    client: async () => {
      const { CodexMcpClientAdapter, CodexTransportFactory } = await import("@zain/codex-client")
      return { make: CodexMcpClientAdapter.make(), local: CodexTransportFactory.local }
    },
    answerOnly: async () => (await import("@zain/codex-client/CodexAnswerOnly")).open,
    serve: async () => (await import("@zain/codex-client/server")).work,
  },
  {
    name: "claude-code",
    folder: "packages/claude-code-client",
    facts: async () => (await import("@zain/claude-code-client/ClaudeCodeFacts")).facts,
    client: async () => {
      const { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } = await import("@zain/claude-code-client")
      return { make: ClaudeCodeMcpClientAdapter.make(), local: ClaudeCodeTransportFactory.local }
    },
    answerOnly: async () => (await import("@zain/claude-code-client/ClaudeCodeAnswerOnly")).open,
    serve: async () => (await import("@zain/claude-code-client/server")).work,
  },
]
