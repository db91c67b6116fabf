import { assert, describe } from "@effect/vitest"
import { FailedTurn, McpSessionRuntime } from "@zain/core"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { config, supports } from "../testing/HeldAgent.ts"

describe("McpResponse.cause", () => {
  test("is derived by the adapter from the content of a failed turn only", function* () {
    const client = yield* McpSessionRuntime.make({
      provider: "held",
      supports,
      causeOf: FailedTurn.reader({ command: "held login", loggedOut: /^Log in/, variable: /^No `(\w+)`/ }),
      connect: () =>
        Effect.succeed({
          execute: ({ content }) => Effect.succeed({ content: content.slice(1), isError: content.startsWith("!") }),
          abort() {},
        }),
    })
    const session = yield* client.openSession(config)
    const cause = (content: string) => Effect.map(client.execute(session, { content }), ({ cause }) => cause)
    assert.deepStrictEqual(yield* cause("!Log in."), { _tag: "NotLoggedIn", command: "held login" })
    assert.deepStrictEqual(yield* cause("!No `KEY`"), { _tag: "MissingVariable", variable: "KEY" })
    assert.isUndefined(yield* cause("!Another reason"))
    assert.isUndefined(yield* cause(" Log in."))
  })
})
