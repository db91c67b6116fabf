/**
 * What a thread of Codex is started with.
 *
 * @see Codex 0.153 `mcp-server`, whose names these are
 */
import * as Schema from "effect/Schema"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const CodexStartOptions = Schema.Struct({
  model: text("The model, instead of the configured one."),
  cwd: text("The directory to work in. A relative one starts from the server's own."),
  sandbox: Schema.optionalKey(
    Schema.Literals(["read-only", "workspace-write", "danger-full-access"]).annotate({
      description: "What the agent's commands may write without asking.",
    }),
  ),
  "approval-policy": Schema.optionalKey(
    Schema.Literals(["untrusted", "on-request", "never"]).annotate({
      description: "When the agent asks before it runs a command.",
    }),
  ),
  config: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "Laid over Codex's config.toml. A key may name a value inside a table: `a.b`.",
    }),
  ),
  "base-instructions": text("Instructions instead of Codex's own."),
  "developer-instructions": text("Instructions beside Codex's own."),
  "compact-prompt": text("The prompt with which a long conversation is made shorter."),
})
export type CodexStartOptions = typeof CodexStartOptions.Type

/**
 * Parameters of `thread/start`. Codex takes the same with `thread/resume`, and has forgotten some of them by then: the
 * sandbox, and what `config` says beside the model.
 */
export const threadParams = (options: CodexStartOptions): Readonly<Record<string, unknown>> => {
  const { config, cwd, model, sandbox } = options
  const compactPrompt = options["compact-prompt"]
  return withoutUndefined({
    model,
    cwd,
    sandbox,
    approvalPolicy: options["approval-policy"],
    config: compactPrompt === undefined ? config : { ...config, compact_prompt: compactPrompt },
    baseInstructions: options["base-instructions"],
    developerInstructions: options["developer-instructions"],
  })
}

const withoutUndefined = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
