/**
 * What Codex is told of the options of a thread.
 */
import type { CodexStartOptions } from "../CodexOptions.ts"

/** What of the options leads out of any directory: configuration names sandboxes, directories and programs of its own. */
export const leadsOut = (options: CodexStartOptions): ReadonlyArray<string> => [
  ...(options.config === undefined ? [] : ["`config`"]),
  ...(options.trustProject === true ? ["`trust-project`"] : []),
  ...(options.sandbox === "danger-full-access" ? ['`sandbox: "danger-full-access"`'] : []),
]

/**
 * Parameters of `thread/start`, as they are given. Codex takes the same with `thread/resume`, and has forgotten some of them
 * by then: the sandbox, and what `config` says beside the model.
 */
export const threadParams = ({ compactPrompt, trustProject: _, ...options }: CodexStartOptions) => ({
  ...options,
  ...(compactPrompt === undefined ? {} : { config: { ...options.config, compact_prompt: compactPrompt } }),
})
