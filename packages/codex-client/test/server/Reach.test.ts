/** Turns whose model cannot be reached (docs/reference/errors.md). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import type { CodexStartOptions } from "../../src/CodexOptions.ts"
import { client, listener, script, thread } from "../../testing/server/Codex.ts"

const loggedOut = JSON.stringify({ account: null, requiresOpenaiAuth: true })

const retries = "unbounded_connection_retries"
const own = (isUnbounded: boolean) => ({ features: { [retries]: isUnbounded } })

interface Config {
  readonly features?: Readonly<Record<string, unknown>>
  readonly [key: string]: unknown
}

const usual = { model_provider: "openai", cli_auth_credentials_store: "file" }

interface Given {
  readonly own?: object
  readonly options?: CodexStartOptions
  readonly env?: Record<string, string>
  readonly hasLogin?: boolean
}

/** A turn of a Codex without a login, and the messages that it received. */
const ask = Effect.fnUntraced(function* ({ env, hasLogin = false, options = {}, own = usual }: Given) {
  const { heard, home, start, turn } = yield* client({
    env: { FAKE_ACCOUNT: loggedOut, FAKE_CONFIG: JSON.stringify(own), ...env },
  })
  if (hasLogin) {
    mkdirSync(join(home, ".codex"))
    writeFileSync(join(home, ".codex", "auth.json"), "{}")
  }
  const result = yield* turn(yield* start(options), { prompt: script([{ message: "Sent." }]) }, listener())
  return { ...result, thread: heard().find(({ method }) => method === "thread/start")?.params }
})

describe("Codex without a login (docs/reference/errors.md)", () => {
  test.live("fails a turn immediately when its model requires one", function* () {
    const { content, isError } = yield* ask({})
    assert.deepStrictEqual([content, isError], ['Codex is not logged in. Run "codex login", and ask again.', true])
  })

  test.live.each<readonly [what: string, given: Given]>([
    ["of another provider", { own: { model_provider: "mine" } }],
    ["with a session's option for another provider", { options: { config: { model_provider: "mine" } } }],
    ["with another server for OpenAI's models", { own: { model_provider: "openai", openai_base_url: "http://a" } }],
    ["with a session's option for another server", { options: { config: { openai_base_url: "http://a" } } }],
    ["with another server in its environment", { env: { OPENAI_BASE_URL: "http://a" } }],
    ["with a profile of its own", { options: { config: { profile: "mine" } } }],
    ["whose login is not in a file", { own: { model_provider: "openai", cli_auth_credentials_store: "keyring" } }],
    ["that may have a repository's provider", { options: { trustProject: true } }],
    ["that has a login by now", { hasLogin: true }],
    ["that does not report its account", { env: { FAKE_ACCOUNT: "{}" } }],
  ])("sends the prompt of a thread %s", function* ([_, { env, ...given }]) {
    assert.strictEqual((yield* ask({ ...given, ...(env === undefined ? {} : { env }) })).content, "Sent.")
  })
})

describe("a missing network (docs/reference/errors.md)", () => {
  test.live.each<readonly [what: string, given: Given, expected: unknown]>([
    ["ends Codex's retries by default", {}, false],
    ["is retried as the user's configuration says", { own: own(true) }, undefined],
    ["is retried as `config` says", { options: { config: own(true) } }, true],
  ])("%s", function* ([_, given, expected]) {
    const { thread } = yield* ask({ own: {}, ...given })
    const { features, ...config } = (thread?.["config"] ?? {}) as Config
    assert.strictEqual(features?.[retries] ?? config[`features.${retries}`], expected)
  })

  test.live("is reported with each retry, with a limit and without invisible characters", function* () {
    const { threadId, turn } = yield* thread()
    const ear = listener()
    const error = { message: "Reconnecting... 1/5", additionalDetails: `\u001b[31m${"x".repeat(1000)}` }
    const steps = [{ event: "error", params: { willRetry: true, error } }, { message: "Here." }]
    yield* turn(threadId, { prompt: script(steps) }, ear)
    const tries = ear.events.flatMap((event) => (event._tag === "Heartbeat" ? [event.retrying ?? ""] : []))
    assert.lengthOf(tries, 1)
    assert.match(tries[0] ?? "", /^Reconnecting\.\.\. 1\/5: /)
    assert.notInclude(tries[0], "\u001b")
    assert.isAtMost(tries[0]?.length ?? 0, 500)
  })
})
