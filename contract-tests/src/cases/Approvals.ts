/** Cases about approvals. */
import * as McpApproval from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ApprovalBench from "../ApprovalBench.ts"
import { Bench, casesOf } from "../ContractCase.ts"
import * as EventRecording from "../EventRecording.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recallOrLost } from "../Recall.ts"

const short = "50 millis"
const reason = "Not on a Friday."
const written = "what the contract writes"

/** A policy that never decides, and an Effect that waits for its first request. */
const undecided = Effect.map(Deferred.make<void>(), (asked) => {
  const policy: McpApproval.McpApprovalPolicy = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
  return { asked: Deferred.await(asked), policy }
})

/** A turn that waits for a decision that never arrives. */
const pending = Effect.gen(function* () {
  const { asked, policy } = yield* undecided
  const bench = yield* ApprovalBench.under(policy)
  const session = yield* bench.open
  const fiber = yield* Effect.provideService(HeldTurn.start(session, bench.prompt({ _tag: "Approve" })), Bench, bench)
  const early = Effect.flatMap(Fiber.await(fiber), (exit) =>
    Expect.violation(`The turn ended with ${exit._tag} before the policy received a request.`),
  )
  yield* Effect.raceFirst(asked, early)
  return { ...bench, session, fiber }
})

const ofApproval = (events: ReadonlyArray<McpEvent>) =>
  events.filter(({ _tag }) => _tag.startsWith("Approval") || _tag === "TurnStarted" || _tag === "TurnCompleted")

export const approvals = casesOf({
  "approvals.approve": {
    title:
      "an approval request MUST reach the policy with a readable question, and the agent MUST do what the policy approves",
    crossesWire: true,
    verifies: ["approval.asked", "approval.approved"],
    needs: ["approvals"],
    *run() {
      const asked: Array<Parameters<McpApproval.McpApprovalPolicy>> = []
      const bench = yield* ApprovalBench.under((...about) => {
        asked.push(about)
        return Effect.succeed(McpApproval.approve)
      })
      const session = yield* bench.open
      yield* ApprovalBench.isTold(yield* ApprovalBench.ask(bench, session), "approved")
      yield* Expect.equal(asked.length, 1, "The number of requests that the policy received")
      for (const [{ command, kind, message }, { provider, sessionId, turn }] of asked) {
        yield* Expect.equal(kind, "command", "kind")
        yield* Expect.that(command !== undefined && command !== "", "The request must carry the command.")
        yield* Expect.that(message.trim().length > 5, `message must be a readable question, and is: ${message}`)
        yield* Expect.equal(
          { provider, sessionId, turn },
          { provider: bench.subject.provider, sessionId: session, turn: 1 },
          "provider, sessionId and turn of the request",
        )
      }
    },
  },
  "approvals.for-session": {
    title: "the agent MUST do what the policy approves for the session, and the policy MUST receive each use",
    verifies: ["approval.approved", "approval.session"],
    needs: ["approvals"],
    *run() {
      let uses = 0
      const bench = yield* ApprovalBench.under(() => {
        uses++
        return Effect.succeed(McpApproval.approveForSession)
      })
      const session = yield* bench.open
      for (const times of [1, 2]) {
        yield* ApprovalBench.isTold(yield* ApprovalBench.ask(bench, session), "approved")
        yield* Expect.equal(uses, times, "The number of requests that the policy received")
      }
    },
  },
  "approvals.decline": {
    title: "the agent MUST receive a decline, and the turn MUST continue",
    verifies: ["approval.declined"],
    needs: ["approvals"],
    *run() {
      yield* Effect.flatMap(
        ApprovalBench.under(() => Effect.succeed(McpApproval.decline("Not today."))),
        ApprovalBench.declines,
      )
    },
  },
  "approvals.reason": {
    title: "the reason of a decline MUST reach the agent",
    verifies: ["approval.reason"],
    needs: ["approvals", "reasons"],
    *run() {
      const bench = yield* ApprovalBench.under(() => Effect.succeed(McpApproval.decline(reason)))
      const answer = yield* ApprovalBench.ask(bench, yield* bench.open)
      yield* ApprovalBench.isTold(answer, "declined")
      yield* Expect.that(answer.content.includes(reason), `The answer must hold the reason, and is: ${answer.content}`)
    },
  },
  "approvals.changes": {
    title: "the policy MUST receive the diff of a file change before the file is written (promise 33)",
    crossesWire: true,
    verifies: ["approval.asked", "approval.changes"],
    needs: ["approvals", "changes"],
    *run() {
      const asked: Array<McpApproval.McpApprovalRequest> = []
      const bench = yield* ApprovalBench.under((request) => {
        asked.push(request)
        return Effect.succeed(McpApproval.approve)
      })
      const { content } = bench.prompt({ _tag: "Change", text: written })
      yield* ApprovalBench.isTold(yield* bench.client.execute(yield* bench.open, { content }), "approved")
      yield* Expect.equal(asked.length, 1, "The number of requests that the policy received")
      const [change, ...others] = asked[0]?.changes ?? []
      yield* Expect.equal(asked[0]?.kind, "file-change", "kind")
      yield* Expect.equal(others.length, 0, "The number of further files")
      yield* Expect.that(
        change?.path.endsWith("changed.txt") === true && asked[0]?.paths?.includes(change.path) === true,
        `The change must name its file, as \`paths\` does, and names ${change?.path}.`,
      )
      yield* Expect.that(
        change?.diff.split("\n").includes(`+${written}`) === true,
        `The diff must hold the new line, and is: ${change?.diff}`,
      )
    },
  },
  "approvals.no-policy": {
    title: "a client without a policy MUST decline every approval",
    verifies: ["approval.default"],
    needs: ["approvals"],
    *run() {
      yield* Effect.flatMap(Bench, ApprovalBench.declines)
    },
  },
  "approvals.deadline": {
    title: "a policy that does not answer by its deadline MUST count as a decline",
    verifies: ["approval.deadline"],
    needs: ["approvals"],
    *run() {
      yield* Effect.flatMap(
        ApprovalBench.under(McpApproval.make({ ask: () => Effect.never, deadline: short })),
        ApprovalBench.declines,
      )
    },
  },
  "approvals.contained": {
    title: "a policy that throws MUST count as a decline, and MUST NOT affect other sessions",
    verifies: ["approval.contained"],
    needs: ["approvals"],
    *run() {
      const broken: ReadonlyArray<McpApproval.McpApprovalPolicy> = [
        () => Effect.die(new Error("a broken policy")),
        () => {
          throw new Error("a broken policy")
        },
      ]
      for (const policy of broken) yield* ApprovalBench.declines(yield* ApprovalBench.under(policy))
    },
  },
  "approvals.events": {
    title: "`ApprovalAsked` and `ApprovalDecided` MUST be emitted in order, before the result",
    verifies: ["approval.events", "rule-7.order"],
    needs: ["approvals"],
    *run() {
      for (const decision of [McpApproval.approve, McpApproval.decline("Not today.")]) {
        const bench = yield* ApprovalBench.under(() => Effect.succeed(decision))
        const session = yield* bench.open
        const recording = yield* Effect.provideService(EventRecording.start(session), Bench, bench)
        yield* ApprovalBench.ask(bench, session)
        yield* bench.client.closeSession(session)
        yield* recording.ended
        const { turn } = recording.events.at(-1) ?? { turn: 0 }
        const events = ofApproval(recording.events.filter((event) => event.turn === turn))
        const expected = ["TurnStarted", "ApprovalAsked", "ApprovalDecided", "TurnCompleted"]
        yield* Expect.equal(
          events.map(({ _tag }) => _tag),
          expected,
          "The events of the turn",
        )
        const [, asked, decided] = events
        if (asked?._tag !== "ApprovalAsked" || decided?._tag !== "ApprovalDecided") return
        yield* Expect.equal(decided.approvalId, asked.approvalId, "approvalId")
        yield* Expect.equal(decided.decision._tag, decision._tag, "The decision")
      }
    },
  },
  "approvals.apart": {
    title: "concurrent approvals of two sessions MUST be decided independently",
    crossesWire: true,
    verifies: ["approval.asked", "rule-4.parallel"],
    needs: ["approvals"],
    *run() {
      const both = yield* Deferred.make<void>()
      const asking = new Set<McpSessionId>()
      let declined: McpSessionId | undefined
      const bench = yield* ApprovalBench.under((_, { sessionId }) => {
        asking.add(sessionId)
        return Effect.as(
          asking.size < 2 ? Deferred.await(both) : Deferred.succeed(both, undefined),
          sessionId === declined ? McpApproval.decline() : McpApproval.approve,
        )
      })
      const [first, second] = [yield* bench.open, yield* bench.open]
      declined = second
      const answers = yield* Effect.all([ApprovalBench.ask(bench, first), ApprovalBench.ask(bench, second)], {
        concurrency: "unbounded",
      })
      yield* ApprovalBench.isTold(answers[0], "approved")
      yield* ApprovalBench.isTold(answers[1], "declined")
    },
  },
  "approvals.cancelled": {
    title:
      "a turn that is cancelled during an approval MUST end, and the conversation MUST continue or fail with `conversation-lost`",
    crossesWire: true,
    verifies: ["approval.cancelled", "rule-5.ends", "rule-5.conversation-lost"],
    needs: ["approvals"],
    *run() {
      const bench = yield* pending
      yield* Fiber.interrupt(bench.fiber)
      const { cancelKeepsConversation } = bench.client.supports
      yield* Effect.provideService(recallOrLost(bench.session, cancelKeepsConversation), Bench, bench)
      yield* bench.client.closeSession(bench.session)
    },
  },
  "approvals.closed": {
    title: "`closeSession` MUST end a turn that waits for an approval",
    verifies: ["approval.cancelled", "rule-4.closing", "rule-3.always-closed"],
    needs: ["approvals"],
    *run() {
      const bench = yield* pending
      yield* bench.client.closeSession(bench.session)
      yield* Expect.failed(yield* Fiber.await(bench.fiber), "SessionClosed", { reason: "closed", delivery: "unknown" })
    },
  },
})
