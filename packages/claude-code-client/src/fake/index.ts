/**
 * A fake Claude Code for tests, for `FakePeer` and `FakeAgent` of `@zain/contract-tests`. It follows `ContractScript`, without a key,
 * a model or a network.
 *
 * @example
 * ```ts
 * import { fakeClaudeCode } from "@zain/claude-code-client/fake"
 * import { FakePeer } from "@zain/contract-tests"
 *
 * const fake = FakePeer.inMemory(fakeClaudeCode)
 * ```
 */
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"
import { server } from "./FakeClaudeMcpServer.ts"
import { agent } from "./FakeClaudeStream.ts"

/** The tested Claude Code: its `mcp serve`, and its `-p` with streams of JSON. */
export const fakeClaudeCode: FakeDialect = {
  name: "claude-code",
  server,
  agent,
  turn: { options: { model: "other-model" }, seen: "model:other-model", wider: { permissionMode: "acceptEdits" } },
}
