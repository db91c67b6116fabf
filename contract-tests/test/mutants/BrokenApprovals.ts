/** Clients that get approvals, and what is told of them, wrong. */
import { McpApproval, McpSessionRuntime } from "@zain/core"
import type { Turn } from "@zain/core/AgentConnection"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpEvent } from "@zain/core/McpEvents"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { connections, type Mutant } from "./Mutant.ts"

type Approve = Turn["approve"]

/** A driver whose agents are answered by another. */
const answering = (change: (approve: Approve) => Approve) =>
  connections((connection) => ({
    ...connection,
    execute: (request, turn) => connection.execute(request, { ...turn, approve: change(turn.approve) }),
  }))

/** A client whose events are changed on their way. */
const telling =
  (change: (events: Stream.Stream<McpEvent, never>) => Stream.Stream<McpEvent, never>) =>
  (adapter: McpClientAdapter): McpClientAdapter => ({
    ...adapter,
    events: (id) => change(adapter.events(id) as Stream.Stream<McpEvent, never>),
  })

const without = (tag: McpEvent["_tag"]) => telling(Stream.filter(({ _tag }) => _tag !== tag))

const asker = { provider: "parrot", sessionId: "" as never, turn: 0 }

const approveAll: McpApproval.McpApprovalPolicy = () => Effect.succeed(McpApproval.approve)

/** What decides where nobody provided anything else. */
const unasked = Effect.runSync(
  Effect.gen(function* () {
    return yield* McpApproval.McpApproval
  }),
)

export const brokenApprovals: ReadonlyArray<Mutant> = [
  {
    name: "says that its agents cannot ask",
    caughtBy: "approvals.approve",
    adapter: (adapter) => ({ ...adapter, supports: { ...adapter.supports, approvals: false } }),
  },
  {
    name: "declines without asking anybody",
    caughtBy: "approvals.approve",
    driver: answering(() => () => Effect.succeed(McpApproval.decline())),
  },
  {
    name: "does not say what a change writes",
    caughtBy: "approvals.changes",
    driver: answering(
      (approve) =>
        ({ changes: _, ...request }) =>
          approve(request),
    ),
  },
  {
    name: "keeps the reason of a decline to itself",
    caughtBy: "approvals.reason",
    driver: answering(
      (approve) => (request) =>
        Effect.map(approve(request), (reply) => (reply._tag === "Decline" ? McpApproval.decline("No.") : reply)),
    ),
  },
  {
    name: "asks without saying what",
    caughtBy: "approvals.approve",
    driver: answering((approve) => (request) => approve({ ...request, message: "" })),
  },
  {
    name: "asks twice",
    caughtBy: "approvals.approve",
    driver: answering((approve) => (request) => Effect.andThen(approve(request), approve(request))),
  },
  {
    name: "keeps what was approved, and asks no more",
    caughtBy: "approvals.for-session",
    driver: (driver) => {
      let kept: McpApproval.McpApprovalReply | undefined
      return answering(
        (approve) => (request) =>
          kept === undefined
            ? Effect.tap(approve(request), (reply) => Effect.sync(() => (kept = reply)))
            : Effect.succeed(kept),
      )(driver)
    },
  },
  {
    name: "approves whatever the policy says",
    caughtBy: "approvals.decline",
    driver: answering((approve) => (request) => Effect.as(approve(request), McpApproval.approve)),
  },
  {
    name: "approves what no policy decides",
    caughtBy: "approvals.no-policy",
    make: (make) =>
      Effect.flatMap(McpApproval.McpApproval, (policy) =>
        policy === unasked ? Effect.provideService(make, McpApproval.McpApproval, approveAll) : make,
      ),
  },
  {
    name: "asks until it is approved",
    caughtBy: "approvals.deadline",
    driver: answering(
      (approve) => (request) => Effect.repeat(approve(request), { until: ({ _tag }) => _tag !== "Decline" }),
    ),
  },
  {
    name: "dies of a policy that fails",
    caughtBy: "approvals.contained",
    make: (_, driver) =>
      Effect.flatMap(McpApproval.McpApproval, (policy) =>
        McpSessionRuntime.make(
          answering(() => (request) => Effect.map(policy(request, asker), McpApproval.reply))(driver),
        ),
      ),
  },
  { name: "does not tell what was decided", caughtBy: "approvals.events", adapter: without("ApprovalDecided") },
  {
    name: "tells a decision after the result",
    caughtBy: "approvals.events",
    adapter: telling(
      Stream.mapAccum(
        (): ReadonlyArray<McpEvent> => [],
        (held, event) => {
          if (event._tag === "ApprovalDecided") return [[event], []] as const
          return event._tag === "TurnCompleted" ? ([[], [event, ...held]] as const) : ([held, [event]] as const)
        },
      ),
    ),
  },
  {
    name: "asks for every session as if it were the first",
    caughtBy: "approvals.apart",
    driver: (driver) => {
      let first: Approve | undefined
      return answering((approve) => {
        first ??= approve
        return first
      })(driver)
    },
  },
  {
    name: "waits for a decision after a cancel",
    caughtBy: "approvals.cancelled",
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  },
  {
    name: "closes once everything is decided",
    caughtBy: "approvals.closed",
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  },
  { name: "does not say when a tool is done", caughtBy: "events.tools", adapter: without("ToolFinished") },
  { name: "does not say which tool is used", caughtBy: "events.tools", adapter: without("ToolStarted") },
  { name: "counts no tokens", caughtBy: "events.usage", adapter: without("Usage") },
]
