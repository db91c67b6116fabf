import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "smol-toml"
import * as ScriptedModel from "../src/ScriptedModel.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "scripted-model-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true })),
)

const mode = (path: string) => Effect.promise(async () => (await stat(path)).mode & 0o777)
const read = (path: string) => Effect.promise(() => readFile(path, "utf8"))

/** The fields of `model_providers.scripted` that no option changes. */
const scripted = (url: string) => ({
  ...{ name: "Scripted model", base_url: `${url}/v1`, env_key: "SCRIPTED_MODEL_API_KEY", wire_api: "responses" },
  supports_websockets: false,
})

describe("ScriptedModel.codex", () => {
  it.live("writes a private home with a config.toml for this model only", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make()
      const root = yield* directory
      const { directory: given, env } = yield* model.codex(root)
      assert.strictEqual(given, root)
      const home = env["CODEX_HOME"] ?? ""
      assert.deepStrictEqual(parse(yield* read(join(home, "config.toml"))), {
        model: "scripted-model",
        model_provider: "scripted",
        approval_policy: "never",
        sandbox_mode: "read-only",
        check_for_update_on_startup: false,
        features: { plugins: false },
        analytics: { enabled: false },
        model_providers: {
          scripted: {
            ...scripted(model.url),
            request_max_retries: 0,
            stream_max_retries: 0,
            stream_idle_timeout_ms: 300_000,
          },
        },
      })
      assert.deepStrictEqual(env, {
        HOME: root,
        CODEX_HOME: join(root, "codex"),
        TMPDIR: join(root, "tmp"),
        SCRIPTED_MODEL_API_KEY: "scripted-model-needs-no-key",
        NO_PROXY: "127.0.0.1,localhost",
        no_proxy: "127.0.0.1,localhost",
      })
      assert.deepStrictEqual(
        [yield* mode(home), yield* mode(join(root, "tmp")), yield* mode(join(home, "config.toml"))],
        [0o700, 0o700, 0o600],
      )
    }),
  )

  it.live("applies its options, and `config` overrides them", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make()
      const { env } = yield* model.codex(undefined, {
        model: 'odd "name"',
        approvalPolicy: "on-request",
        sandboxMode: "workspace-write",
        maxRetries: 2,
        streamIdleTimeout: "3 seconds",
        config: { features: { web_search: true }, model_providers: { scripted: { stream_max_retries: 5 } } },
      })
      assert.deepInclude(parse(yield* read(join(env["CODEX_HOME"] ?? "", "config.toml"))), {
        model: 'odd "name"',
        approval_policy: "on-request",
        sandbox_mode: "workspace-write",
        features: { plugins: false, web_search: true },
        model_providers: {
          scripted: {
            ...scripted(model.url),
            request_max_retries: 2,
            stream_max_retries: 5,
            stream_idle_timeout_ms: 3000,
          },
        },
      })
      const error = yield* Effect.flip(model.codex(undefined, { config: { bad: Symbol("x") } }))
      assert.strictEqual(error.reason, "invalid-options")
    }),
  )

  it.live("replaces the configuration of an earlier model", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const first = yield* ScriptedModel.make()
      const second = yield* ScriptedModel.make()
      yield* first.codex(root)
      const { env } = yield* second.codex(root)
      assert.include(yield* read(join(env["CODEX_HOME"] ?? "", "config.toml")), second.url)
    }),
  )
})

describe("ScriptedModel.claudeCode", () => {
  it.live("writes a private configuration and returns the whole environment", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make()
      const root = yield* directory
      const { env } = yield* model.claudeCode(root, { settings: { disableAllHooks: true } })
      const config = join(root, "claude")
      assert.deepStrictEqual(env, {
        HOME: root,
        CLAUDE_CONFIG_DIR: config,
        CLAUDE_CODE_TMPDIR: join(root, "tmp"),
        TMPDIR: join(root, "tmp"),
        ANTHROPIC_API_KEY: "scripted-model-needs-no-key",
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_MODEL: "scripted-model",
        CLAUDE_CODE_MAX_RETRIES: "0",
        CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_AUTOUPDATER: "1",
        NO_PROXY: "127.0.0.1,localhost",
        no_proxy: "127.0.0.1,localhost",
      })
      assert.deepStrictEqual(JSON.parse(yield* read(join(config, "settings.json"))), { disableAllHooks: true })
      assert.match(yield* read(join(config, "agents", "plain.md")), /^---\nname: plain\n.*\ntools: \[\]\n---\n/s)
      assert.deepStrictEqual(
        [
          yield* mode(config),
          yield* mode(join(config, "agents")),
          yield* mode(join(config, "settings.json")),
          yield* mode(join(config, "agents", "plain.md")),
        ],
        [0o700, 0o700, 0o600, 0o600],
      )
    }),
  )

  it.live("uses a short temporary directory for sockets if the given directory has a long path", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make()
      const root = join(yield* directory, "long".repeat(25))
      const { env } = yield* model.claudeCode(root, { plainAgent: false, model: "m", maxRetries: 3 })
      const temporary = env["CLAUDE_CODE_TMPDIR"] ?? ""
      assert.isBelow(Buffer.byteLength(`${temporary}/cc-socks/4194304.sock`), 104)
      assert.strictEqual(yield* mode(temporary), 0o700)
      assert.strictEqual(yield* mode(root), 0o700)
      assert.deepInclude(env, { ANTHROPIC_MODEL: "m", CLAUDE_CODE_MAX_RETRIES: "3" })
    }),
  )

  it.live("fails with write-failed if the directory cannot be written", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make()
      const error = yield* Effect.flip(model.claudeCode("/dev/null/nowhere"))
      assert.deepInclude(error, { _tag: "ScriptedModelError", reason: "write-failed" })
    }),
  )
})
