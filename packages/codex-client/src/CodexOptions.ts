/**
 * What only Codex knows.
 */
import * as Schema from "effect/Schema"

import { started } from "./native/CodexStartOptions.ts"

export { CodexStartOptions } from "./native/CodexStartOptions.ts"

/**
 * - `model`: the model's name
 * - `cwd`: the directory Codex works in; the host's own by default
 * - `sandbox`: what its commands may touch
 * - `approvalPolicy`: when it asks before it acts. `untrusted`: before all but what surely only reads; `on-request`: when
 *   it wants more than its sandbox; `never`
 * - `baseInstructions`, `developerInstructions`, `compactPrompt`: texts in place of, or beside, its own
 * - `config`: keys of its `config.toml`, for this session
 * - `trustProject`: whether the configuration of the repository in `cwd` counts. Its MCP servers then start without a
 *   sandbox, and its rules let commands run unasked. False by default
 * - `threadId`: goes on with the conversation of an earlier session, also of one on another server. Options beside it count
 *   from now on; other `developerInstructions` than the thread has are refused
 *
 * @see Codex 0.169.0 app-server, `ThreadStartParams`
 */
export const CodexOptions = Schema.Struct({
  ...started,
  threadId: Schema.optionalKey(Schema.NonEmptyString),
})
export type CodexOptions = typeof CodexOptions.Type

const { trustProject: _, ...native } = started

/**
 * The same for Codex's own MCP server, which does not start with `untrusted`, and forgets its threads when it ends.
 *
 * @see Codex 0.153.4, arguments of the tool `codex`
 */
export const CodexNativeOptions = Schema.Struct({
  ...native,
  approvalPolicy: Schema.optionalKey(Schema.Literals(["on-request", "never"])),
})
export type CodexNativeOptions = typeof CodexNativeOptions.Type
