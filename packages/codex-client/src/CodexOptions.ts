/**
 * What only Codex knows.
 */
import * as Schema from "effect/Schema"

/**
 * - `model`: the model's name
 * - `cwd`: the directory Codex works in; the host's own by default
 * - `sandbox`: what its commands may touch
 * - `approvalPolicy`: whether it may ask for more
 * - `baseInstructions`, `developerInstructions`, `compactPrompt`: texts in place of, or beside, its own
 * - `config`: keys of its `config.toml`, for this session
 *
 * @see Codex 0.153.4, arguments of the tool `codex`
 */
export const CodexOptions = Schema.Struct({
  model: Schema.optionalKey(Schema.NonEmptyString),
  cwd: Schema.optionalKey(Schema.NonEmptyString),
  sandbox: Schema.optionalKey(Schema.Literals(["read-only", "workspace-write", "danger-full-access"])),
  approvalPolicy: Schema.optionalKey(Schema.Literals(["on-request", "never"])),
  baseInstructions: Schema.optionalKey(Schema.String),
  developerInstructions: Schema.optionalKey(Schema.String),
  compactPrompt: Schema.optionalKey(Schema.String),
  config: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
})
export type CodexOptions = typeof CodexOptions.Type

/** The options as arguments of the tool `codex`, which has names of its own for them. */
export const toArguments = ({
  approvalPolicy,
  baseInstructions,
  compactPrompt,
  developerInstructions,
  ...same
}: CodexOptions): Readonly<Record<string, unknown>> => ({
  ...same,
  ...(approvalPolicy === undefined ? {} : { "approval-policy": approvalPolicy }),
  ...(baseInstructions === undefined ? {} : { "base-instructions": baseInstructions }),
  ...(developerInstructions === undefined ? {} : { "developer-instructions": developerInstructions }),
  ...(compactPrompt === undefined ? {} : { "compact-prompt": compactPrompt }),
})
