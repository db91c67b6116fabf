/**
 * What a thread of Codex is started with.
 *
 * @see Codex 0.153 `mcp-server`, whose names these are
 */
import * as Schema from "effect/Schema"
import { type JsonObject, recordOf, textOf, textsOf } from "../JsonMember.ts"
import * as StartOption from "../StartOption.ts"

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
})
export type CodexStartOptions = typeof CodexStartOptions.Type

/** What of the options leads out of any directory: `config` names sandboxes, directories and programs of its own. */
export const leadsOut = ({ config, sandbox }: CodexStartOptions): ReadonlyArray<string> => [
  ...(config === undefined ? [] : ["`config`"]),
  ...(sandbox === "danger-full-access" ? ['`sandbox: "danger-full-access"`'] : []),
]

/**
 * Where a thread works and writes, by the answer to `thread/start` or `thread/resume`: Codex's own configuration and an
 * earlier start count too. `undefined` where no sandbox bounds it.
 *
 * @see Codex 0.169 app-server, `SandboxPolicy`
 */
export const placesOf = (answer: JsonObject): ReadonlyArray<string> | undefined => {
  const sandbox = recordOf(answer, "sandbox")
  const [cwd, type] = [textOf(answer, "cwd"), textOf(sandbox, "type")]
  if (cwd === undefined) return undefined
  if (type === "readOnly") return [cwd]
  if (type !== "workspaceWrite") return undefined
  return [cwd, ...textsOf(answer, "runtimeWorkspaceRoots"), ...textsOf(sandbox, "writableRoots")]
}

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
