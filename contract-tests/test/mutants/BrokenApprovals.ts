/** Clients with broken approvals, or broken events of approvals. */
import { McpApproval, McpSessionRuntime } from "@zain/core"
import type { Turn } from "@zain/core/AgentConnection"
import type { McpEvent } from "@zain/core/McpEvents"
import { Effect, Stream } from "effect"
import { reading } from "../../testing/mutants/Override.ts"
import { type Mutant, mutant, taking } from "./Mutant.ts"

type Approve = Turn["approve"]

/** Replaces the policy that answers a driver's agents. */
const answering = (change: (approve: Approve) => Approve) =>
  taking((execute, request, turn) => execute(request, { ...turn, approve: change(turn.approve) }))

/** Changes the events of a client. */
const telling = (change: (events: Stream.Stream<McpEvent, never>) => Stream.Stream<McpEvent, never>) =>
  reading((events, id) => change(events(id) as Stream.Stream<McpEvent, never>))

const without = (tag: McpEvent["_tag"]) => telling(Stream.filter(({ _tag }) => _tag !== tag))

const asker = { provider: "parrot", sessionId: "" as never, turn: 0 }

const approveAll: McpApproval.McpApprovalPolicy = () => Effect.succeed(McpApproval.approve)

/** The default policy. */
const unasked = Effect.runSync(
  Effect.gen(function* () {
    return yield* McpApproval.McpApproval
  }),
)

export const brokenApprovals: ReadonlyArray<Mutant> = [
  mutant("reports `supports.approvals` as false", "approvals.approve", {
    adapter: (adapter) => ({ ...adapter, supports: { ...adapter.supports, approvals: false } }),
  }),
  mutant("declines without calling the policy", "approvals.approve", {
    driver: answering(() => () => Effect.succeed(McpApproval.decline())),
  }),
  mutant("omits the diff of a change", "approvals.changes", {
    driver: answering(
      (approve) =>
        ({ changes: _, ...request }) =>
          approve(request),
    ),
  }),
  mutant("omits the reason of a decline", "approvals.reason", {
    driver: answering(
      (approve) => (request) =>
        Effect.map(approve(request), (reply) => (reply._tag === "Decline" ? McpApproval.decline("No.") : reply)),
    ),
  }),
  mutant("omits the command of a request", "approvals.approve", {
    driver: answering((approve) => (request) => approve({ ...request, message: "" })),
  }),
  mutant("calls the policy twice", "approvals.approve", {
    driver: answering((approve) => (request) => Effect.andThen(approve(request), approve(request))),
  }),
  mutant("caches an approval, and does not call the policy again", "approvals.for-session", {
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
  mutant("approves what the policy declines", "approvals.decline", {
    driver: answering((approve) => (request) => Effect.as(approve(request), McpApproval.approve)),
  }),
  mutant("approves what no policy decides", "approvals.no-policy", {
    make: (make) =>
      Effect.flatMap(McpApproval.McpApproval, (policy) =>
        policy === unasked ? Effect.provideService(make, McpApproval.McpApproval, approveAll) : make,
      ),
  }),
  mutant("repeats a request until it is approved", "approvals.deadline", {
    driver: answering(
      (approve) => (request) => Effect.repeat(approve(request), { until: ({ _tag }) => _tag !== "Decline" }),
    ),
  }),
  mutant("dies when the policy fails", "approvals.contained", {
    make: (_, driver, nest) =>
      Effect.flatMap(McpApproval.McpApproval, (policy) =>
        McpSessionRuntime.make(
          answering(() => (request) => Effect.map(policy(request, asker), McpApproval.reply))(driver, nest),
        ),
      ),
  }),
  mutant("omits the options of a question", "questions.answered", {
    driver: answering(
      (approve) => (request) =>
        approve({
          ...request,
          ...(request.questions && { questions: request.questions.map((one) => ({ ...one, options: [] })) }),
        }),
    ),
  }),
  mutant("dismisses questions without calling the policy", "questions.answered", {
    driver: answering(
      (approve) => (request) =>
        request.kind === "question" ? Effect.succeed(McpApproval.decline()) : approve(request),
    ),
  }),
  mutant("selects the first option of a question that is dismissed", "questions.dismissed", {
    driver: answering(
      (approve) => (request) =>
        request.kind === "question"
          ? Effect.as(approve(request), { _tag: "Answer", answers: { colour: ["Red"] } })
          : approve(request),
    ),
  }),
  mutant("does not emit `ApprovalDecided`", "approvals.events", { adapter: without("ApprovalDecided") }),
  mutant("emits a decision after the result", "approvals.events", {
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
  mutant("requests every approval under the first session", "approvals.apart", {
    driver: (driver, nest) => {
      let first: Approve | undefined
      return answering((approve) => {
        first ??= approve
        return first
      })(driver, nest)
    },
  }),
  mutant("keeps waiting for a decision after a cancel", "approvals.cancelled", {
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  }),
  mutant("closes only after every decision", "approvals.closed", {
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  }),
  mutant("answers while the work of its turn goes on", "background.wait", {
    driver: taking((execute, request, turn) =>
      request.content.includes("zain:background")
        ? Effect.as(Effect.forkDetach(execute(request, turn)), { content: "It works on.", isError: false })
        : execute(request, turn),
    ),
  }),
  mutant("does not list the work that goes on", "background.keep", {
    driver: taking((execute, request, turn) =>
      Effect.map(execute(request, turn), ({ pending: _, ...answer }) => answer),
    ),
  }),
  mutant("does not emit `BackgroundFinished`", "background.keep", { adapter: without("BackgroundFinished") }),
  mutant("omits `origin`", "background.keep", {
    adapter: telling(Stream.map(({ origin: _, ...event }) => event as McpEvent)),
  }),
  mutant("keeps the work of a cancelled turn", "background.cancel", {
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  }),
  mutant("closes only after the work that goes on", "background.close", {
    driver: answering((approve) => (request) => Effect.uninterruptible(approve(request))),
  }),
  mutant("emits `isError` for a turn that succeeded", "events.brackets", {
    adapter: telling(Stream.map((event) => (event._tag === "TurnCompleted" ? { ...event, isError: true } : event))),
  }),
  mutant("does not emit `ToolFinished`", "events.tools", { adapter: without("ToolFinished") }),
  mutant("does not emit `ToolStarted`", "events.tools", { adapter: without("ToolStarted") }),
  mutant("does not emit `Usage`", "events.usage", { adapter: without("Usage") }),
]
