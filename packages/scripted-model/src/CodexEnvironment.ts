/**
 * Configures Codex for a scripted model.
 */
import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { stringify } from "smol-toml"
import { type AgentEnvironment, dummyKey, withoutProxy } from "./AgentEnvironment.ts"
import { isRecord, type JsonRecord } from "./JsonBody.ts"
import * as PrivateHome from "./PrivateHome.ts"
import type { ScriptedModelError } from "./ScriptedModelError.ts"

/**
 * The options of `ScriptedModel.codex`: settings of the `config.toml` that it writes, which Codex reads in place of the
 * user's own. All are optional.
 */
export interface CodexOptions {
  /** The name that the agent sends as `model`; `scripted-model` by default. */
  readonly model?: string
  /** When Codex requests approvals: `on-request` before it leaves the sandbox, `never` (the default) not at all. */
  readonly approvalPolicy?: "never" | "on-request"
  /**
   * What commands may write: nothing (`read-only`, the default), the working directory and temporary directories, or
   * every file.
   */
  readonly sandboxMode?: "read-only" | "workspace-write" | "danger-full-access"
  /** How often a failed request is sent again, and a broken stream restarted; 0 by default. */
  readonly maxRetries?: number
  /** How long Codex waits for the next event of an answer; 5 minutes by default. A number is in milliseconds. */
  readonly streamIdleTimeout?: Duration.Input
  /** Values that are merged into `config.toml`, table by table, and override the other options. */
  readonly config?: JsonRecord
}

const keyVariable = "SCRIPTED_MODEL_API_KEY"

/**
 * Builds the content of a `config.toml` with which Codex uses the scripted model; `ScriptedModel.codex` writes it.
 *
 * @param url the `url` of the model, without `/v1`
 * @param options values that replace those of the default configuration
 */
export const codexConfig = (url: string, options: CodexOptions = {}): JsonRecord =>
  merge(
    {
      model: options.model ?? "scripted-model",
      model_provider: "scripted",
      approval_policy: options.approvalPolicy ?? "never",
      sandbox_mode: options.sandboxMode ?? "read-only",
      check_for_update_on_startup: false,
      features: { plugins: false },
      analytics: { enabled: false },
      model_providers: {
        scripted: {
          name: "Scripted model",
          base_url: `${url}/v1`,
          env_key: keyVariable,
          wire_api: "responses",
          request_max_retries: options.maxRetries ?? 0,
          stream_max_retries: options.maxRetries ?? 0,
          stream_idle_timeout_ms: Duration.toMillis(options.streamIdleTimeout ?? "5 minutes"),
          supports_websockets: false,
        },
      },
    },
    options.config ?? {},
  )

/** Writes Codex's configuration below `directory`. Fails with `invalid-options` or `write-failed`. */
export const writeCodex = Effect.fnUntraced(function* (
  url: string,
  directory: string,
  options?: CodexOptions,
): Effect.fn.Return<AgentEnvironment, ScriptedModelError> {
  const toml = yield* PrivateHome.textOf("Codex's config.toml", () => stringify(codexConfig(url, options)))
  const home = join(directory, "codex")
  // Codex warns if its home is below the temporary directory, so both are siblings.
  const temporary = join(directory, "tmp")
  yield* PrivateHome.make(home)
  yield* PrivateHome.make(temporary)
  yield* PrivateHome.write(join(home, "config.toml"), `${toml}\n`)
  return {
    directory,
    env: { HOME: directory, CODEX_HOME: home, TMPDIR: temporary, [keyVariable]: dummyKey, ...withoutProxy },
  }
})

const merge = (under: JsonRecord, over: JsonRecord): JsonRecord => ({
  ...under,
  ...Object.fromEntries(
    Object.entries(over).map(([key, value]) => {
      const old = under[key]
      return [key, isRecord(old) && isRecord(value) ? merge(old, value) : value]
    }),
  ),
})
