import { assert, describe } from "@effect/vitest"
import { CodexTransportFactory } from "@zain/codex-client"
import { test } from "@zain/testkit/Test"

const refused = "unexpected status 401 Unauthorized: Missing bearer, url: https://api.openai.com/v1/responses"
const login = { _tag: "NotLoggedIn", command: "codex login" } as const

describe.each(["agent-server", "native"] as const)("Codex with the profile %s", (profile) => {
  test.each([
    [refused, login],
    ['Codex is not logged in. Run "codex login", and ask again.', login],
    [`Codex could not reach its model for 30s, and the turn was ended. ${refused}`, login],
    ["Your access token could not be refreshed. Please log out and sign in again.", login],
    ["Missing environment variable: `MY_KEY`.", { _tag: "MissingVariable", variable: "MY_KEY" }],
    ["unexpected status 429 Too Many Requests: later", { _tag: "RateLimited" }],
    ["You've hit your usage limit. Try again at 11:54 AM.", { _tag: "RateLimited" }],
    ["Not logged in · Please run /login", undefined],
    ["Missing environment variable: `$(date)`.", undefined],
  ] as const)("reads a failed turn with %j as the cause %j", function* ([content, cause]) {
    const { causeOf, vendor } = yield* CodexTransportFactory.make({ profile })
    assert.deepStrictEqual(causeOf?.(content), cause)
    assert.strictEqual(vendor, "openai")
  })
})
