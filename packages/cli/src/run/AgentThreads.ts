/**
 * The stored conversations of a local agent.
 */
import type { McpError } from "@zain/core/McpError"
import type { McpSessionId } from "@zain/core/McpSessionId"
import type { McpThreads } from "@zain/core/McpThreads"
import * as Effect from "effect/Effect"
import type { AgentSession } from "./AgentSession.ts"

/** Opens a session without a turn, uses its `threads`, and closes the session. */
export const use = <A, E>(
  { config, make }: AgentSession,
  work: (threads: McpThreads, session: McpSessionId) => Effect.Effect<A, E>,
): Effect.Effect<A, E | McpError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* make
      const session = yield* client.openSession(config)
      return yield* Effect.ensuring(work(client.threads, session), Effect.ignore(client.closeSession(session)))
    }),
  )
