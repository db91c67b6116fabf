/**
 * A session with one turn.
 */
import * as McpApproval from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import type { McpRequest } from "@zain/core/McpRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { AgentSession } from "./AgentSession.ts"
import type { Report } from "./RunReport.ts"

export interface Task {
  /** The prompt. */
  readonly request: McpRequest
  /** The directory; a continued thread runs in its own. */
  readonly cwd?: string
  /** Decides approvals. */
  readonly policy: McpApproval.McpApprovalPolicy
  /** Receives the events. */
  readonly report: Report
}

const isLast = ({ _tag }: McpEvent) => _tag === "TurnCompleted" || _tag === "TurnFailed"

/**
 * Opens a session, runs the turn, and always closes the session. All events of the turn are reported before it ends.
 *
 * @returns the agent's response
 */
export const take = ({ config, make }: AgentSession, { policy, report, request, ...place }: Task) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* Effect.provideService(make, McpApproval.McpApproval, policy)
      const [took, sessionId] = yield* Effect.timed(client.openSession(config))
      const millis = Math.round(Duration.toMillis(took))
      yield* report.opened({ provider: client.provider, sessionId, ...place, millis })
      const end = Effect.ignore(client.closeSession(sessionId))
      const events = Stream.runForEach(Stream.takeUntil(client.events(sessionId), isLast), report.event).pipe(
        // A failed report interrupts the turn.
        Effect.tapDefect(() => end),
      )
      const heard = yield* Effect.forkChild(events, { startImmediately: true })
      const answered = yield* Effect.result(client.execute(sessionId, request))
      // Closing the session ends its events, also if no turn has begun.
      yield* end
      yield* Effect.ignore(Fiber.join(heard))
      return yield* Effect.fromResult(answered)
    }),
  )
