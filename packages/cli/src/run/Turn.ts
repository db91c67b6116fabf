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
import type { Report } from "./Report.ts"

export interface Task {
  /** What the agent is asked. */
  readonly request: McpRequest
  /** Where it works; a conversation that goes on is where it was begun. */
  readonly cwd?: string
  /** Decides what it may do. */
  readonly policy: McpApproval.McpApprovalPolicy
  /** Where it is told. */
  readonly report: Report
}

const isLast = ({ _tag }: McpEvent) => _tag === "TurnCompleted" || _tag === "TurnFailed"

/**
 * Opens a session, and closes it in the end, however it ends. All that was told of the turn has been reported by then.
 *
 * @returns what the agent answered
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
        // A turn that cannot be reported ends.
        Effect.tapDefect(() => end),
      )
      const heard = yield* Effect.forkChild(events, { startImmediately: true })
      const answered = yield* Effect.result(client.execute(sessionId, request))
      // The end of the session is the end of its events, also where no turn has begun.
      yield* end
      yield* Effect.ignore(Fiber.join(heard))
      return yield* Effect.fromResult(answered)
    }),
  )
