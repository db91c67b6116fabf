/** Cases about `steer`. */
import type * as McpApproval from "@zain/core/McpApproval"
import * as McpApprovals from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import type { McpSteered } from "@zain/core/McpSteer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as ApprovalBench from "../ApprovalBench.ts"
import { Bench, casesOf } from "../ContractCase.ts"
import * as EventRecording from "../EventRecording.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recall } from "../Recall.ts"

/** Steers a turn that never ends, and cancels it. Returns what became of the text; `no-turn` if the cancel was first. */
const cancelled = Effect.fnUntraced(function* (session: McpSessionId, content: string) {
  const { client } = yield* Bench
  const held = yield* HeldTurn.hold(session)
  const steering = yield* Effect.forkChild(Effect.exit(client.steer(session, content)), { startImmediately: true })
  yield* Fiber.interrupt(held.fiber)
  const exit = yield* Fiber.join(steering)
  if (Exit.isSuccess(exit)) return exit.value
  yield* Expect.failed(exit, "InvalidRequest", { reason: "no-turn", delivery: "not-sent" })
  return "no-turn" as const
})

export const steering = casesOf({
  "steer.applied": {
    title: "a text of `steer` MUST reach the agent once in the turn under way, and stay in the conversation",
    crossesWire: true,
    verifies: ["turn.steer"],
    needs: ["approvals", "observe"],
    *run() {
      const outcome = yield* Deferred.make<McpSteered, unknown>()
      let speak: Effect.Effect<unknown> = Effect.void
      const policy: McpApproval.McpApprovalPolicy = () => Effect.as(speak, McpApprovals.approve)
      const bench = yield* ApprovalBench.under(policy)
      if (bench.client.supports.steer !== true) return
      const session = yield* bench.open
      const [first, text] = [bench.prompt({ _tag: "Approve" }), bench.prompt({ _tag: "Recall" })]
      const scope = yield* Effect.scope
      speak = Effect.forkIn(Deferred.into(bench.client.steer(session, text.content), outcome), scope, {
        startImmediately: true,
      })
      const answer = yield* bench.client.execute(session, { content: first.content })
      yield* Expect.equal(yield* Deferred.await(outcome), "applied", "What became of the text")
      yield* Expect.equal(answer.content, JSON.stringify([first.key, text.key]), "The answer to both")
      const known = yield* Effect.provideService(recall(session), Bench, bench)
      yield* Expect.equal(known, [first.key, text.key], "The prompts that the agent remembers")
      yield* Expect.equal(yield* bench.peer.count(text.key), 1, "How often the text reached the agent")
    },
  },
  "steer.kept": {
    title:
      "a text of `steer` that the agent has not taken when its turn is cancelled MUST precede the next prompt, once",
    crossesWire: true,
    verifies: ["turn.steer"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      if (client.supports.steer !== true) return
      const session = yield* open
      // A conversation whose first turn is cancelled may begin anew.
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "first" }).content })
      const text = prompt({ _tag: "Hang" })
      const outcome = yield* cancelled(session, text.content)
      const known = yield* recall(session)
      yield* Expect.equal(
        known.includes(text.key),
        outcome !== "no-turn",
        `Whether the agent knows the text (${outcome})`,
      )
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "next" }).content })
      yield* Expect.equal(
        yield* peer.count(text.key),
        outcome === "no-turn" ? 0 : 1,
        "How often the text reached the agent",
      )
    },
  },
  "steer.unused": {
    title: "closing a session MUST report the texts of `steer` that were queued and that no prompt followed",
    verifies: ["turn.steer"],
    needs: ["observe"],
    *run({ client, open, prompt }) {
      if (client.supports.steer !== true) return
      const session = yield* open
      const recording = yield* EventRecording.start(session)
      const { content } = prompt({ _tag: "Hang" })
      const outcome = yield* cancelled(session, content)
      yield* client.closeSession(session)
      yield* recording.ended
      const reported = recording.events.flatMap((event) => (event._tag === "SteersUnused" ? event.texts : []))
      yield* Expect.equal(reported, outcome === "queued" ? [content] : [], `The reported texts (${outcome})`)
    },
  },
  "steer.refused": {
    title:
      "`steer` MUST be `no-turn` between turns, `empty-content` without a character, and `not-supported` for an agent that takes no text while it works",
    verifies: ["turn.steer"],
    *run({ client, open }) {
      const refused = (session: McpSessionId, content: string, reason: string) =>
        Expect.fails(client.steer(session, content), "InvalidRequest", { reason, delivery: "not-sent" })
      const session = yield* open
      yield* refused(session, "", "empty-content")
      yield* refused(session, "words", client.supports.steer === true ? "no-turn" : "not-supported")
      const unknown = crypto.randomUUID() as string as McpSessionId
      yield* Expect.fails(client.steer(unknown, "words"), "SessionNotFound", { reason: "unknown-session" })
      yield* client.closeSession(session)
      yield* Expect.fails(client.steer(session, "words"), "SessionClosed", { reason: "closed", delivery: "not-sent" })
    },
  },
})
