import { assert, describe, it } from "@effect/vitest"
import * as FailedTurn from "@zain/core/FailedTurn"

const of = (provider: string, content: string, isError = true) => FailedTurn.cause({ provider, content, isError })

const claude = { _tag: "NotLoggedIn", command: "claude auth login" }
const codex = { _tag: "NotLoggedIn", command: "codex login" }

const refused = "unexpected status 401 Unauthorized: Missing bearer, url: https://api.openai.com/v1/responses"

describe("the cause of a turn that failed", () => {
  it.each([
    ["claude-code", "Not logged in · Please run /login", claude],
    ["claude-code", "OAuth token revoked · Please run /login", claude],
    ["claude-code", "Please run /login · API Error: 401 no", claude],
    ["claude-code", "Failed to authenticate. API Error: 401 no", claude],
    ["claude-code", "Invalid API key · Fix external API key", claude],
    ["codex", refused, codex],
    ["codex", 'Codex is not logged in. Run "codex login", and ask again.', codex],
    ["codex", `Codex has not reached its model for 30s, and its turn was ended. ${refused}`, codex],
    ["codex", "Your access token could not be refreshed. Please log out and sign in again.", codex],
    ["codex", "Missing environment variable: `MY_KEY`.", { _tag: "MissingVariable", variable: "MY_KEY" }],
  ])("of %s that says %j is known", (provider, content, expected) => {
    assert.deepStrictEqual(of(provider, content), expected as FailedTurn.FailedTurnCause)
  })

  it.each([
    ["claude-code", "The model is overloaded."],
    ["codex", "unexpected status 429 Too Many Requests: later"],
    ["codex", "Not logged in · Please run /login"],
    ["codex", "Missing environment variable: `$(date)`."],
    ["my-agent", "Not logged in · Please run /login"],
    ["claude-code", "Missing environment variable: `MY_KEY`."],
  ])("of %s that says %j is not known", (provider, content) => assert.isUndefined(of(provider, content)))

  it("is none of a turn that did not fail, whatever it says", () => {
    assert.isUndefined(of("claude-code", "Not logged in · Please run /login", false))
  })
})
