/**
 * Options of a thread as parameters of Codex.
 */
import type { CodexStartOptions } from "../CodexOptions.ts"

/** The options that lead out of a root. `config` can name sandboxes, directories and programs. */
export const leadsOut = (options: CodexStartOptions): ReadonlyArray<string> => [
  ...(options.config === undefined ? [] : ["`config`"]),
  ...(options.trustProject === true ? ["`trust-project`"] : []),
  ...(options.sandbox === "danger-full-access" ? ['`sandbox: "danger-full-access"`'] : []),
]

/**
 * Parameters of `thread/start`, and of `thread/resume`, because Codex does not store all of them with the thread: neither the
 * sandbox, nor the keys of `config` other than the model.
 */
export const threadParams = ({
  background: _work,
  backgroundGrace: _grace,
  compactPrompt,
  trustProject: _trust,
  ...options
}: CodexStartOptions) => ({
  ...options,
  ...(compactPrompt === undefined ? {} : { config: { ...options.config, compact_prompt: compactPrompt } }),
})
