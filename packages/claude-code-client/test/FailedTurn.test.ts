import { assert, describe } from "@effect/vitest"
import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { test } from "@zain/testkit/Test"

const login = { _tag: "NotLoggedIn", command: "claude auth login" } as const

describe.each(["agent-server", "native"] as const)("Claude Code with the profile %s", (profile) => {
  test.each([
    ["Not logged in · Please run /login", login],
    ["OAuth token revoked · Please run /login", login],
    ["Please run /login · API Error: 401 no", login],
    ["Failed to authenticate. API Error: 401 no", login],
    ["Invalid API key · Fix external API key", login],
    ["You've hit your 5-hour limit · resets 3pm", { _tag: "RateLimited" }],
    ["API Error: Request rejected (429) · later", { _tag: "RateLimited" }],
    ["The model is overloaded.", undefined],
    ["Missing environment variable: `MY_KEY`.", undefined],
  ] as const)("reads a failed turn with %j as the cause %j", function* ([content, cause]) {
    const { causeOf, vendor } = yield* ClaudeCodeTransportFactory.make({ profile })
    assert.deepStrictEqual(causeOf?.(content), cause)
    assert.strictEqual(vendor, "anthropic")
  })
})
