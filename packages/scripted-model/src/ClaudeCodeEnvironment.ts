/**
 * Configures Claude Code for a scripted model.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AgentEnvironment, dummyKey, withoutProxy } from "./AgentEnvironment.ts"
import type { JsonRecord } from "./JsonBody.ts"
import * as PrivateHome from "./PrivateHome.ts"
import type { ScriptedModelError } from "./ScriptedModelError.ts"

/**
 * The options of `ScriptedModel.claudeCode`: settings of the configuration that it writes, which Claude Code reads in
 * place of the user's own. All are optional.
 */
export interface ClaudeCodeOptions {
  /** The name that the agent sends as `model`; `scripted-model` by default. */
  readonly model?: string
  /** How often a failed request is sent again; 0 by default. */
  readonly maxRetries?: number
  /**
   * Whether to define an agent type `plain`, which has no tools and therefore sends small requests. True by default.
   */
  readonly plainAgent?: boolean
  /** The content of the user's `settings.json`; no such file by default. */
  readonly settings?: JsonRecord
}

const plainAgent = `---
name: plain
description: Answers in words alone. It has no tools.
tools: []
---
Answer the prompt.
`

// A Unix socket's path has at most 103 bytes on macOS and 107 on Linux; Claude Code adds "/cc-socks/<pid>.sock".
const maxTemporaryBytes = 103 - "/cc-socks/4194304.sock".length

/** Writes Claude Code's configuration below `directory`. Fails with `invalid-options` or `write-failed`. */
export const writeClaudeCode = Effect.fnUntraced(function* (
  url: string,
  directory: string,
  scope: Scope.Scope,
  options: ClaudeCodeOptions = {},
): Effect.fn.Return<AgentEnvironment, ScriptedModelError> {
  const settings = yield* PrivateHome.textOf("Claude Code's settings.json", () =>
    options.settings === undefined ? undefined : JSON.stringify(options.settings, null, 2),
  )
  const config = join(directory, "claude")
  const beside = join(directory, "tmp")
  yield* PrivateHome.make(config)
  yield* PrivateHome.make(beside)
  const temporary = Buffer.byteLength(beside) <= maxTemporaryBytes ? beside : yield* PrivateHome.makeTemporary(scope)
  if (settings !== undefined) yield* PrivateHome.write(join(config, "settings.json"), `${settings}\n`)
  if (options.plainAgent ?? true) {
    yield* PrivateHome.make(join(config, "agents"))
    yield* PrivateHome.write(join(config, "agents", "plain.md"), plainAgent)
  }
  return {
    directory,
    env: {
      HOME: directory,
      CLAUDE_CONFIG_DIR: config,
      CLAUDE_CODE_TMPDIR: temporary,
      TMPDIR: temporary,
      ANTHROPIC_API_KEY: dummyKey,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_MODEL: options.model ?? "scripted-model",
      CLAUDE_CODE_MAX_RETRIES: String(options.maxRetries ?? 0),
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      ...withoutProxy,
    },
  }
})
