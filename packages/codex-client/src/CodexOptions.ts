/**
 * What only Codex knows.
 */
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as Schema from "effect/Schema"

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
  model: Schema.optionalKey(Schema.NonEmptyString),
  cwd: Schema.optionalKey(Schema.NonEmptyString),
  sandbox: Schema.optionalKey(Schema.Literals(["read-only", "workspace-write", "danger-full-access"])),
  approvalPolicy: Schema.optionalKey(Schema.Literals(["untrusted", "on-request", "never"])),
  baseInstructions: Schema.optionalKey(Schema.String),
  developerInstructions: Schema.optionalKey(Schema.String),
  compactPrompt: Schema.optionalKey(Schema.String),
  config: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  trustProject: Schema.optionalKey(Schema.Boolean),
  threadId: Schema.optionalKey(Schema.NonEmptyString),
})
export type CodexOptions = typeof CodexOptions.Type

const { threadId: _, trustProject: __, ...started } = CodexOptions.fields

/**
 * The same for Codex's own MCP server, which does not start with `untrusted`, and forgets its threads when it ends.
 *
 * @see Codex 0.153.4, arguments of the tool `codex`
 */
export const CodexNativeOptions = Schema.Struct({
  ...started,
  approvalPolicy: Schema.optionalKey(Schema.Literals(["on-request", "never"])),
})
export type CodexNativeOptions = typeof CodexNativeOptions.Type

/** The options as arguments of the agent server's tool `codex`, to which a compact prompt is configuration. */
export const toServerArguments = ({ compactPrompt, ...rest }: Omit<CodexOptions, "threadId">) => ({
  ...AgentServerProfile.toolNames(rest),
  ...(compactPrompt === undefined ? {} : { config: { ...rest.config, compact_prompt: compactPrompt } }),
})
