/**
 * The agents of this repository. A new agent is one package and one entry here.
 */
import type { Agent } from "./Agent.ts"

export const agents: ReadonlyArray<Agent> = [
  {
    name: "codex",
    folder: "packages/codex-client",
    facts: async () => (await import("@zain/codex-client/CodexFacts")).facts,
    client: async () => {
      const { CodexMcpClientAdapter, CodexTransportFactory } = await import("@zain/codex-client")
      const SdkMcpClient = await import("@zain/sdk-client/SdkMcpClient")
      return {
        make: CodexMcpClientAdapter.make(),
        driver: SdkMcpClient.driver(CodexTransportFactory.make()),
        native: (options) => CodexMcpClientAdapter.make({ profile: "native", ...options }),
        local: CodexTransportFactory.local,
      }
    },
    answerOnly: async () => (await import("@zain/codex-client/CodexAnswerOnly")).open,
    serve: async () => (await import("../../codex-client/src/server/CodexServerCommand.ts")).work,
    fake: async () => (await import("@zain/codex-client/fake")).fakeCodex,
  },
  {
    name: "claude-code",
    folder: "packages/claude-code-client",
    facts: async () => (await import("@zain/claude-code-client/ClaudeCodeFacts")).facts,
    client: async () => {
      const { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } = await import("@zain/claude-code-client")
      const SdkMcpClient = await import("@zain/sdk-client/SdkMcpClient")
      return {
        make: ClaudeCodeMcpClientAdapter.make(),
        driver: SdkMcpClient.driver(ClaudeCodeTransportFactory.make()),
        native: (options) => ClaudeCodeMcpClientAdapter.make({ profile: "native", ...options }),
        local: ClaudeCodeTransportFactory.local,
      }
    },
    answerOnly: async () => (await import("@zain/claude-code-client/ClaudeCodeAnswerOnly")).open,
    serve: async () => (await import("../../claude-code-client/src/server/ClaudeCodeServerCommand.ts")).work,
    fake: async () => (await import("@zain/claude-code-client/fake")).fakeClaudeCode,
  },
]
