/** What becomes of a turn whose model cannot be reached (issue 15, point 7). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../core/test/Test.ts"
import type { CodexStartOptions } from "../../src/CodexOptions.ts"
import { client, finite, listener, script, thread } from "./Codex.ts"

const loggedOut = JSON.stringify({ account: null, requiresOpenaiAuth: true })

const own = (isUnbounded: boolean) => ({ features: { unbounded_connection_retries: isUnbounded } })

const usual = { model_provider: "openai", cli_auth_credentials_store: "file" }

interface Given {
  readonly own?: object
  readonly options?: CodexStartOptions
  readonly env?: Record<string, string>
  readonly hasLogin?: boolean
}

/** A turn of a Codex that was started without a login, and what it heard. */
const ask = Effect.fnUntraced(function* ({ env, hasLogin = false, options = {}, own = usual }: Given) {
  const { heard, home, start, turn } = yield* client({
    env: { FAKE_ACCOUNT: loggedOut, FAKE_CONFIG: JSON.stringify(own), ...env },
  })
  if (hasLogin) {
    mkdirSync(join(home, ".codex"))
    writeFileSync(join(home, ".codex", "auth.json"), "{}")
  }
  const result = yield* turn(yield* start(options), script([{ message: "Sent." }]), listener())
  return { ...result, thread: heard().find(({ method }) => method === "thread/start")?.params }
})

describe("Codex without a login (issue 15, point 7)", () => {
  test.live("says at once that its model needs one", function* () {
    const { content, isError } = yield* ask({})
    assert.deepStrictEqual([content, isError], ['Codex is not logged in. Run "codex login", and ask again.', true])
  })

  test.live.each<readonly [what: string, given: Given]>([
    ["of another provider", { own: { model_provider: "mine" } }],
    ["that asks for another provider", { options: { config: { model_provider: "mine" } } }],
    ["whose models are looked for elsewhere", { own: { model_provider: "openai", openai_base_url: "http://a" } }],
    ["that looks for them elsewhere", { options: { config: { openai_base_url: "http://a" } } }],
    ["whose environment leads elsewhere", { env: { OPENAI_BASE_URL: "http://a" } }],
    ["with a profile of its own", { options: { config: { profile: "mine" } } }],
    ["whose login is in no file", { own: { model_provider: "openai", cli_auth_credentials_store: "keyring" } }],
    ["that may have a repository's provider", { options: { trustProject: true } }],
    ["that has a login by now", { hasLogin: true }],
    ["that does not say", { env: { FAKE_ACCOUNT: "{}" } }],
  ])("is asked all the same by a thread %s", function* ([_, { env, ...given }]) {
    assert.strictEqual((yield* ask({ ...given, ...(env === undefined ? {} : { env }) })).content, "Sent.")
  })
})

describe("a network that is down (issue 15, point 7)", () => {
  test.live.each<readonly [what: string, given: Given, config: unknown]>([
    ["is not waited for without end", {}, finite],
    ["is waited for as the user's own configuration says", { own: own(true) }, {}],
    ["is waited for as `config` says", { options: { config: own(true) } }, own(true)],
  ])("%s", function* ([_, given, config]) {
    assert.deepStrictEqual((yield* ask({ own: {}, ...given })).thread?.["config"], config)
  })

  test.live("is told with each try, bounded and without what cannot be seen", function* () {
    const { threadId, turn } = yield* thread()
    const ear = listener()
    const error = { message: "Reconnecting... 1/5", additionalDetails: `\u001b[31m${"x".repeat(1000)}` }
    const steps = [{ event: "error", params: { willRetry: true, error } }, { message: "Here." }]
    yield* turn(threadId, script(steps), ear)
    const tries = ear.events.flatMap((event) => (event._tag === "Heartbeat" ? [event.retrying ?? ""] : []))
    assert.lengthOf(tries, 1)
    assert.match(tries[0] ?? "", /^Reconnecting\.\.\. 1\/5: /)
    assert.notInclude(tries[0], "\u001b")
    assert.isAtMost(tries[0]?.length ?? 0, 500)
  })
})
