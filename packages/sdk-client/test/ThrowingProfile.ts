/** An agent without options whose results nobody can read: the function that should throws. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentProfile } from "../src/AgentProfile.ts"

export const throwing: AgentProfile<object> = {
  provider: "throwing",
  supports: { streaming: true, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
  options: Schema.Struct({}),
  environment: [],
  open: (target) =>
    Effect.succeed({
      target,
      call: (name) => ({ name, arguments: {} }),
      read: () => {
        throw new Error("a mistake in a profile")
      },
    }),
  event: () => undefined,
}
