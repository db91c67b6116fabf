/** The agents of this repository, as the runs need them. */
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { WireFactory } from "@zain/sdk-client/McpWire"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Excuses from "./Excuses.ts"

type Make = Effect.Effect<McpClientAdapter, never, Scope.Scope>

/**
 * - `program`: its server, as its package exports it
 * - `make`: an adapter in front of that server
 * - `native`: an adapter in front of the agent's own MCP server
 * - `cannot`: what that server is excused from
 */
export interface Agent {
  readonly title: string
  readonly dialect: FakeDialect
  readonly program: string
  readonly make: Make
  readonly native: (options?: { readonly connect?: WireFactory }) => Make
  readonly cannot: NonNullable<ContractSubject["cannot"]>
}

export const codex: Agent = {
  title: "Codex",
  dialect: fakeCodex,
  program: "@zain/codex-client/zain-codex-mcp",
  make: CodexMcpClientAdapter.make(),
  native: (options) => CodexMcpClientAdapter.make({ profile: "native", ...options }),
  cannot: Excuses.native,
}

export const claudeCode: Agent = {
  title: "Claude Code",
  dialect: fakeClaudeCode,
  program: "@zain/claude-code-client/zain-claude-code-mcp",
  make: ClaudeCodeMcpClientAdapter.make(),
  native: (options) => ClaudeCodeMcpClientAdapter.make({ profile: "native", ...options }),
  cannot: Excuses.claudeCodeNative,
}

/** All of them; the name of each test says which. */
export const agents = [codex, claudeCode].map((agent) => ({ ...agent, name: agent.dialect.name }))
