/** Cases about work that outlives the agent's last message. */
import * as McpApproval from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ApprovalBench from "../ApprovalBench.ts"
import { Bench, casesOf } from "../ContractCase.ts"
import * as EventRecording from "../EventRecording.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recallOrLost } from "../Recall.ts"

const directive = { _tag: "Background", text: "It works on." } as const

/**
 * A recorded session whose policy decides when `decide` runs. `asked` waits for its first request, and fails when the work ends
 * before.
 */
const working = Effect.fnUntraced(function* (background: "wait" | "keep") {
  const asked = yield* Deferred.make<void>()
  const decision = yield* Deferred.make<void>()
  const bench = yield* ApprovalBench.under(() =>
    Effect.as(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(decision)), McpApproval.approve),
  )
  yield* Expect.that(bench.client.supports.background, "`supports.background` of the client must be true.")
  const { config } = bench.subject
  const session = yield* bench.client.openSession({
    ...config,
    providerOptions: { ...config.providerOptions, background },
  })
  const recording = yield* Effect.provideService(EventRecording.start(session), Bench, bench)
  const warm = recording.events.at(-1)?.turn ?? 0
  const turn = yield* Effect.provideService(HeldTurn.start(session, bench.prompt(directive)), Bench, bench)
  const events = () => recording.events.filter((event) => event.turn > warm)
  const over = background === "wait" ? Fiber.await(turn) : ended(recording)
  const early = Effect.andThen(
    over,
    Effect.suspend(() =>
      Expect.violation(`The work ended before it asked for an approval; the events are: ${tags(events())}`),
    ),
  )
  return {
    ...bench,
    session,
    recording,
    turn,
    asked: Effect.raceFirst(Deferred.await(asked), early),
    decide: Deferred.succeed(decision, undefined),
    /** The events since the session was warm. */
    events,
    number: warm + 1,
  }
})

const place = (events: ReadonlyArray<McpEvent>, tag: McpEvent["_tag"], origin?: number) =>
  events.findIndex((event) => event._tag === tag && event.origin === origin)

const withPending = Effect.fnUntraced(function* (bench: Effect.Success<ReturnType<typeof working>>) {
  const { pending = [] } = yield* Fiber.join(bench.turn)
  yield* Expect.equal(
    pending.map(({ kind }) => kind),
    ["sub-agent"],
    "The kinds of the work in `pending`",
  )
  yield* Expect.that(pending[0]?.title.trim() !== "", "The work in `pending` must have a title.")
  return pending
})

export const background = casesOf({
  "background.wait": {
    title:
      "`execute` MUST return after the work of its turn, whose approvals MUST reach the policy before the result (promise 34)",
    crossesWire: true,
    verifies: ["rule-9.wait", "rule-9.policy"],
    needs: ["approvals", "background", "provider-options"],
    *run() {
      const bench = yield* working("wait")
      yield* bench.asked
      yield* bench.decide
      const { pending } = yield* Fiber.join(bench.turn)
      yield* Expect.equal(pending, undefined, "`pending` of a turn whose work has ended")
      const events = bench.events()
      const [asked, decided, completed] = [
        place(events, "ApprovalAsked"),
        place(events, "ApprovalDecided"),
        place(events, "TurnCompleted"),
      ]
      yield* Expect.that(
        0 <= asked && asked < decided && decided < completed,
        `The approval must be asked and decided before the turn completes; the events are: ${tags(events)}`,
      )
      yield* bench.client.closeSession(bench.session)
    },
  },
  "background.keep": {
    title:
      'with `background: "keep"`, `execute` MUST list the work that goes on, and its approvals and its end MUST be events with `origin`',
    crossesWire: true,
    verifies: ["rule-9.listed", "rule-9.policy"],
    needs: ["approvals", "background", "provider-options"],
    *run() {
      const bench = yield* working("keep")
      const [work] = yield* withPending(bench)
      yield* bench.asked
      const { content } = bench.prompt({ _tag: "Say", text: "meanwhile" })
      const next = yield* bench.client.execute(bench.session, { content })
      yield* Expect.equal(next.content, "meanwhile", "The answer while the work goes on")
      yield* bench.decide
      yield* ended(bench.recording)
      const events = bench.events()
      const finished = events.find((event) => event._tag === "BackgroundFinished")
      yield* Expect.equal(finished?.origin, bench.number, "`origin` of BackgroundFinished")
      yield* Expect.equal(
        finished?._tag === "BackgroundFinished" ? finished.workId : undefined,
        work?.workId,
        "`workId` of BackgroundFinished",
      )
      const decided = place(events, "ApprovalDecided", bench.number)
      yield* Expect.that(decided >= 0, `The decision must be an event with \`origin\`; the events are: ${tags(events)}`)
      yield* bench.client.closeSession(bench.session)
    },
  },
  "background.cancel": {
    title: "a cancelled turn MUST end with its work, whose open approvals MUST be declined before the next turn begins",
    verifies: ["rule-9.cancel", "rule-5.ends"],
    needs: ["approvals", "background", "provider-options"],
    *run() {
      const bench = yield* working("wait")
      yield* bench.asked
      yield* Fiber.interrupt(bench.turn)
      const { cancelKeepsConversation } = bench.client.supports
      yield* Effect.provideService(recallOrLost(bench.session, cancelKeepsConversation), Bench, bench)
      const events = bench.events()
      const decided = events.find((event) => event._tag === "ApprovalDecided")
      yield* Expect.equal(
        decided?._tag === "ApprovalDecided" ? decided.decision._tag : undefined,
        "Decline",
        "The decision on the open approval",
      )
      yield* Expect.equal(decided?.turn, bench.number, "The turn of the decision")
      yield* bench.client.closeSession(bench.session)
    },
  },
  "background.close": {
    title: "`closeSession` MUST end the work that goes on, and decline its open approvals",
    crossesWire: true,
    verifies: ["rule-9.closed", "rule-3.released"],
    needs: ["approvals", "background", "provider-options", "leftovers"],
    *run() {
      const bench = yield* working("keep")
      yield* withPending(bench)
      yield* bench.asked
      yield* bench.client.closeSession(bench.session)
      yield* bench.recording.ended
      const decided = bench.events().find((event) => event._tag === "ApprovalDecided")
      yield* Expect.equal(
        decided?._tag === "ApprovalDecided" ? decided.decision._tag : undefined,
        "Decline",
        "The decision on the open approval",
      )
      yield* Expect.equal(yield* bench.peer.leftovers, [], "What the session left behind")
    },
  },
})

const tags = (events: ReadonlyArray<McpEvent>) => events.map(({ _tag }) => _tag).join(", ")

/** Waits for `BackgroundFinished`; fails when the session ends without it. */
const ended = (recording: EventRecording.EventRecording) =>
  Effect.raceFirst(
    EventRecording.until(recording, ({ _tag }) => _tag === "BackgroundFinished"),
    Effect.andThen(recording.ended, Expect.violation("The session ended without the event BackgroundFinished.")),
  )
