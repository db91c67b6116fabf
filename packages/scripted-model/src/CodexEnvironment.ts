/**
 * Codex, pointed at a scripted model.
 */
import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { stringify } from "smol-toml"
import { type AgentEnvironment, dummyKey, withoutProxy } from "./AgentEnvironment.ts"
import { isRecord, type JsonRecord } from "./JsonBody.ts"
import * as PrivateDirectory from "./PrivateDirectory.ts"
import type { ScriptedModelError } from "./ScriptedModelError.ts"

/**
 * How Codex is configured.
 *
 * - `model`: `scripted-model` by default
 * - `approvalPolicy`: `never` by default
 * - `sandboxMode`: `read-only` by default
 * - `maxRetries`: how often a failed request is sent again, and a broken stream begun again; 0 by default
 * - `streamIdleTimeout`: how long a stream may be silent; 5 minutes by default, a bare number is milliseconds
 * - `config`: laid over the configuration, table by table; it has the last word
 */
export interface CodexOptions {
  readonly model?: string
  readonly approvalPolicy?: "never" | "on-request"
  readonly sandboxMode?: "read-only" | "workspace-write" | "danger-full-access"
  readonly maxRetries?: number
  readonly streamIdleTimeout?: Duration.Input
  readonly config?: JsonRecord
}

const keyVariable = "SCRIPTED_MODEL_API_KEY"

/** Codex's `config.toml` as data. */
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
  const toml = yield* PrivateDirectory.textOf("Codex's config.toml", () => stringify(codexConfig(url, options)))
  const home = join(directory, "codex")
  // Codex complains when its home is below the temporary directory, so that one goes beside it.
  const temporary = join(directory, "tmp")
  yield* PrivateDirectory.make(home)
  yield* PrivateDirectory.make(temporary)
  yield* PrivateDirectory.write(join(home, "config.toml"), `${toml}\n`)
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
