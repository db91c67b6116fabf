/**
 * A fake Codex for tests, for `FakePeer` and `FakeAgent` of `@zain/contract-tests`. It follows `ContractScript`, without a key,
 * a model or a network.
 *
 * @example
 * ```ts
 * import { fakeCodex } from "@zain/codex-client/fake"
 * import { FakePeer } from "@zain/contract-tests"
 *
 * const fake = FakePeer.inMemory(fakeCodex)
 * ```
 */
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"
import { agent } from "./FakeAppServer.ts"
import { server } from "./FakeCodexMcpServer.ts"

/** Codex 0.153.4 as its own MCP server, and the `codex app-server` of a current one, both as measured. */
export const fakeCodex: FakeDialect = {
  name: "codex",
  server,
  agent,
  turn: { options: { model: "other-model" }, seen: "model:other-model", wider: { sandbox: "danger-full-access" } },
}
