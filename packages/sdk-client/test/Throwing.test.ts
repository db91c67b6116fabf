import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentProfile } from "../src/AgentProfile.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import { config } from "./Server.ts"

const thrown = (): never => {
  throw new Error("a mistake in a profile")
}

const profile = (own: Partial<Pick<AgentProfile<object>, "event">>, read?: () => never): AgentProfile<object> => ({
  provider: "throwing",
  supports: { streaming: true, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
  options: Schema.Struct({}),
  environment: [],
  open: (target) =>
    Effect.succeed({
      target,
      call: (name) => ({ name, arguments: {} }),
      read: read ?? (() => Effect.succeed({ content: "well", isError: false, threadId: "one" })),
    }),
  answer: () => undefined,
  event: () => undefined,
  ...own,
})

describe("a profile's function that throws is contained (promise 7)", () => {
  it.live("while a result is read: the call ends with protocol-violation, and so does every later one", () =>
    Effect.gen(function* () {
      const adapter = yield* SdkMcpClient.make(profile({}, thrown))
      const id = yield* adapter.openSession(config())
      const error = yield* Effect.flip(adapter.execute(id, { content: "echo" }))
      assert.strictEqual(`${error.reason} ${error.delivery}`, "protocol-violation unknown")
      const later = yield* Effect.flip(adapter.execute(id, { content: "echo" }))
      assert.strictEqual(`${later.reason} ${later.delivery}`, "protocol-violation not-sent")
      yield* adapter.closeSession(id)
    }),
  )
})
