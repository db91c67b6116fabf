/**
 * Options of Codex: of the agent server, and of Codex's own MCP server.
 */
import * as Schema from "effect/Schema"

import { continued, native, type started } from "./native/CodexStartOptions.ts"

export { CodexStartOptions, CodexTurnOptions } from "./native/CodexStartOptions.ts"

/**
 * Options of a session with Codex behind `zain-codex-mcp`, this package's MCP server for it (profile `agent-server`,
 * the default): for every session in `CodexMcpClientAdapter.make`, for one session in `CodexTransportFactory.local` and
 * `http`. All are optional.
 *
 * @see Codex 0.171.0 app-server, `ThreadStartParams`
 */
export const CodexOptions: Schema.Struct<typeof continued> = Schema.Struct(continued)
export type CodexOptions = typeof CodexOptions.Type

/**
 * Options of a session with Codex's own MCP server (profile `native`). It has no `threadId`, because the server forgets its
 * threads when it ends, no `trustProject`, no `effort`, no `mcpServers`, no `directories`, and no `background`.
 *
 * @see Codex 0.153.4, arguments of the tool `codex`
 */
export const CodexNativeOptions: Schema.Struct<
  Omit<
    typeof started,
    "approvalPolicy" | "background" | "backgroundGrace" | "directories" | "effort" | "mcpServers" | "trustProject"
  > & {
    /**
     * When Codex requests an approval. `on-request`: before an action that its sandbox does not allow. `never`: such an
     * action fails without a request. This server does not start with `untrusted`. Default: the policy of Codex's
     * configuration.
     */
    readonly approvalPolicy: Schema.optionalKey<Schema.Literals<readonly ["on-request", "never"]>>
  }
> = Schema.Struct({ ...native, approvalPolicy: Schema.optionalKey(Schema.Literals(["on-request", "never"])) })
export type CodexNativeOptions = typeof CodexNativeOptions.Type
