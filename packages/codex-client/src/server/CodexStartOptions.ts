/**
 * What a thread of Codex is started with.
 *
 * @see Codex 0.153 `mcp-server`, whose names these are
 */

import * as StartOption from "@zain/agent-server/StartOption"
import * as Schema from "effect/Schema"

export const CodexStartOptions = Schema.Struct({
  model: StartOption.text("The model, instead of the configured one."),
  cwd: StartOption.text("The directory to work in. A relative one starts from the server's own, or from its root."),
  sandbox: StartOption.oneOf(
    ["read-only", "workspace-write", "danger-full-access"],
    "What the agent's commands may write without asking.",
  ),
  "approval-policy": StartOption.oneOf(
    ["untrusted", "on-request", "never"],
    "When the agent asks before it runs a command.",
  ),
  config: StartOption.settings("Laid over Codex's config.toml. A key may name a value inside a table: `a.b`."),
  "base-instructions": StartOption.text("Instructions instead of Codex's own."),
  "developer-instructions": StartOption.text("Instructions beside Codex's own."),
  "compact-prompt": StartOption.text("The prompt with which a long conversation is made shorter."),
  "trust-project": StartOption.flag(
    "Lets the configuration in the directory's repository count: its MCP servers start without a sandbox, and its rules are obeyed.",
  ),
})
export type CodexStartOptions = typeof CodexStartOptions.Type

/** What of the options leads out of any directory: configuration names sandboxes, directories and programs of its own. */
export const leadsOut = (options: CodexStartOptions): ReadonlyArray<string> => [
  ...(options.config === undefined ? [] : ["`config`"]),
  ...(options["trust-project"] === true ? ["`trust-project`"] : []),
  ...(options.sandbox === "danger-full-access" ? ['`sandbox: "danger-full-access"`'] : []),
]

/**
 * Parameters of `thread/start`, as they are given. Codex takes the same with `thread/resume`, and has forgotten some of them
 * by then: the sandbox, and what `config` says beside the model.
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
