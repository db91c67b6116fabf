/** Clients that get approvals, and what is told of them, wrong. */
import { McpApproval, McpSessionRuntime } from "@zain/core"
import type { Turn } from "@zain/core/AgentConnection"
import type { McpEvent } from "@zain/core/McpEvents"
import { Effect, Stream } from "effect"
import { type Mutant, mutant, taking } from "./Mutant.ts"
import { reading } from "./Override.ts"

type Approve = Turn["approve"]

/** A driver whose agents are answered by another. */
const answering = (change: (approve: Approve) => Approve) =>
  taking((execute, request, turn) => execute(request, { ...turn, approve: change(turn.approve) }))

/** A client whose events are changed on their way. */
const telling = (change: (events: Stream.Stream<McpEvent, never>) => Stream.Stream<McpEvent, never>) =>
  reading((events, id) => change(events(id) as Stream.Stream<McpEvent, never>))

const without = (tag: McpEvent["_tag"]) => telling(Stream.filter(({ _tag }) => _tag !== tag))

const asker = { provider: "parrot", sessionId: "" as never, turn: 0 }

const approveAll: McpApproval.McpApprovalPolicy = () => Effect.succeed(McpApproval.approve)

/** The policy where none is provided. */
const unasked = Effect.runSync(
  Effect.gen(function* () {
    return yield* McpApproval.McpApproval
  }),
)

export const brokenApprovals: ReadonlyArray<Mutant> = [
  mutant("says that its agents cannot ask", "approvals.approve", {
    adapter: (adapter) => ({ ...adapter, supports: { ...adapter.supports, approvals: false } }),
  }),
  mutant("declines without asking anybody", "approvals.approve", {
    driver: answering(() => () => Effect.succeed(McpApproval.decline())),
  }),
  mutant("does not say what a change writes", "approvals.changes", {
    driver: answering(
      (approve) =>
        ({ changes: _, ...request }) =>
          approve(request),
    ),
  }),
  mutant("keeps the reason of a decline to itself", "approvals.reason", {
    driver: answering(
      (approve) => (request) =>
        Effect.map(approve(request), (reply) => (reply._tag === "Decline" ? McpApproval.decline("No.") : reply)),
    ),
  }),
  mutant("asks without saying what", "approvals.approve", {
    driver: answering((approve) => (request) => approve({ ...request, message: "" })),
  }),
  mutant("asks twice", "approvals.approve", {
    driver: answering((approve) => (request) => Effect.andThen(approve(request), approve(request))),
  }),
  mutant("keeps what was approved, and asks no more", "approvals.for-session", {
    driver: (driver, nest) => {
      let kept: McpApproval.McpApprovalReply | undefined
      return answering(
        (approve) => (request) =>
          kept === undefined
            ? Effect.tap(approve(request), (reply) => Effect.sync(() => (kept = reply)))
            : Effect.succeed(kept),
      )(driver, nest)
    },
  }),
  mutant("approves whatever the policy says", "approvals.decline", {
    driver: answering((approve) => (request) => Effect.as(approve(request), McpApproval.approve)),
  }),
  mutant("approves what no policy decides", "approvals.no-policy", {
    make: (make) =>
      Effect.flatMap(McpApproval.McpApproval, (policy) =>
        policy === unasked ? Effect.provideService(make, McpApproval.McpApproval, approveAll) : make,
      ),
  }),
  mutant("asks until it is approved", "approvals.deadline", {
    driver: answering(
      (approve) => (request) => Effect.repeat(approve(request), { until: ({ _tag }) => _tag !== "Decline" }),
    ),
  }),
  mutant("dies of a policy that fails", "approvals.contained", {
    make: (_, driver, nest) =>
      Effect.flatMap(McpApproval.McpApproval, (policy) =>
        McpSessionRuntime.make(
          answering(() => (request) => Effect.map(policy(request, asker), McpApproval.reply))(driver, nest),
        ),
      ),
  }),
  mutant("does not tell what was decided", "approvals.events", { adapter: without("ApprovalDecided") }),
  mutant("tells a decision after the result", "approvals.events", {
    adapter: telling(
      Stream.mapAccum(
        (): ReadonlyArray<McpEvent> => [],
        (held, event) => {
          if (event._tag === "ApprovalDecided") return [[event], []] as const
          return event._tag === "TurnCompleted" ? ([[], [event, ...held]] as const) : ([held, [event]] as const)
        },
      ),
    ),
  }),
  mutant("asks for every session as if it were the first", "approvals.apart", {
    driver: (driver, nest) => {
      let first: Approve | undefined
      return answering((approve) => {
        first ??= approve
        return first
      })(driver, nest)
    },
  }),
  mutant("waits for a decision after a cancel", "approvals.cancelled", {
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  }),
  mutant("closes once everything is decided", "approvals.closed", {
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  }),
  mutant("tells of an answer that its turn failed", "events.brackets", {
    adapter: telling(Stream.map((event) => (event._tag === "TurnCompleted" ? { ...event, isError: true } : event))),
  }),
  mutant("does not say when a tool is done", "events.tools", { adapter: without("ToolFinished") }),
  mutant("does not say which tool is used", "events.tools", { adapter: without("ToolStarted") }),
  mutant("counts no tokens", "events.usage", { adapter: without("Usage") }),
]
