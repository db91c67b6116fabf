/** The agents of this repository, as the runs need them. */
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** `program`: its server, as its package exports it. `make`: an adapter in front of that server. */
export interface Agent {
  readonly title: string
  readonly dialect: FakeDialect
  readonly program: string
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
}

export const codex: Agent = {
  title: "Codex",
  dialect: fakeCodex,
  program: "@zain/codex-client/zain-codex-mcp",
  make: CodexMcpClientAdapter.make(),
}

export const claudeCode: Agent = {
  title: "Claude Code",
  dialect: fakeClaudeCode,
  program: "@zain/claude-code-client/zain-claude-code-mcp",
  make: ClaudeCodeMcpClientAdapter.make(),
}

/** All of them; the name of each test says which. */
export const agents = [codex, claudeCode].map((agent) => ({ ...agent, name: agent.dialect.name }))
