import { assert, describe } from "@effect/vitest"
import type { CommonFault } from "@zain/editor-link/fake/EditorFault"
import { test } from "@zain/testkit/Test"
import { Clock, Duration, Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type { Answer } from "../../editor-link/testing/ByHand.ts"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as FrontClients from "../../editor-link/testing/FrontClients.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import { type FakeProfile, fakeProfiles, type ProfileName } from "./FakeProfiles.ts"

/** Each fault of each profile, over one front by turns: a fault of all profiles has another in each. */
const rows = (["unity-loop", "unity", "blender"] as const).flatMap((profile, turn) =>
  fakeProfiles[profile].faults.map(
    (fault, at) => [profile, fault, FrontClients.fronts[(at + turn) % 4] ?? "stdio"] as const,
  ),
)

/** Faults in spite of which a call of an open connection has its result. */
const harmless = new Set<string>(
  [
    "twenty-list-changed",
    "unknown-id",
    "duplicate-answer",
    "noise",
    "joined-frames",
    "split-bytes",
    "big-answer",
  ].concat(["null-result", "older-envelope", "with-warnings", "reload-in-play", "wrong-project"]),
)
/** Faults that end with a limit. */
const unanswered = new Set<string>(["silence", "hold", "late-answer", "long-length"])
const [deadline, helloTimeout] = [Duration.seconds(30), Duration.seconds(10)]
/** Blender is given the time of a call, and its answer has 10 s more. */
const atMost = Duration.sum(deadline, Duration.seconds(10))

/** Whether a call failed, and did so clearly. */
const isFailed = (result: Answer["result"]): boolean => {
  if (result?.isError !== true) return false
  const error = result.structuredContent?.error
  assert.isDefined(error)
  assert.isNotEmpty(error.message)
  assert.strictEqual(result.content?.[0]?.text, error.message)
  assert.include(["not-sent", "unknown", "answered"], error.delivery)
  return true
}

/** The fault meets a call of an open connection, and a connection that begins, of a server of its own. */
const meets = Effect.fnUntraced(function* (profile: ProfileName, fault: CommonFault, front: FrontClients.Front) {
  const { reading, shows, spoiling = [], writing, ...fake }: FakeProfile = fakeProfiles[profile]
  const editor = yield* fake.start()
  const { port, token } = editor
  const count = (tag: "Opened" | "Frame") => editor.seen.filter(({ _tag }) => _tag === tag).length
  /** A call; where the fault leaves it without an answer, the time of its limit passes when the editor has the request. */
  const ending = Effect.fnUntraced(function* (
    clock: TestClock.TestClock,
    limit: Duration.Duration,
    requests: number,
    call: Effect.Effect<Answer["result"]>,
  ) {
    const calling = yield* Effect.forkChild(call)
    if (unanswered.has(fault)) {
      yield* eventually(() => count("Frame") > requests)
      yield* Editors.turns
      yield* clock.adjust(limit)
    }
    return isFailed(yield* Fiber.join(calling))
  })
  const served = <A>(
    steps: (call: FrontClients.Caller, works: Effect.Effect<void>, clock: TestClock.TestClock) => Effect.Effect<A>,
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const clock = yield* TestClock.make({ warningDelay: "1 hour" })
        const editors = [{ host: "127.0.0.1", port, ...(token === undefined ? {} : { token }) }]
        const settings = { timeout: deadline, project: "/projects/FakeGame", connectWait: Duration.zero }
        const call = yield* Effect.flatMap(Editors.server(fake.profile, editors, settings), (server) =>
          FrontClients.caller(server, front),
        ).pipe(Effect.provideService(Clock.Clock, clock))
        const works = Effect.gen(function* () {
          editor.control.calm()
          editor.control.release()
          yield* Effect.orDie(editor.control.reopen)
          const result = yield* call(...reading)
          assert.isFalse(isFailed(result), JSON.stringify(result))
          assert.include(result?.content?.[0]?.text, shows)
        })
        yield* steps(call, works, clock)
        return clock
      }),
    )
  const atOpen = served((call, works, clock) =>
    Effect.gen(function* () {
      yield* works
      const requests = count("Frame")
      editor.control.fault(fault)
      const isHarmless = harmless.has(fault) && !spoiling.includes(fault)
      assert.strictEqual(yield* ending(clock, atMost, requests, call(...writing("x"))), !isHarmless)
      yield* works
    }),
  )
  const atBeginning = Effect.suspend(() => {
    const requests = count("Frame")
    editor.control.fault(fault, { greeting: true })
    return served((call, works, clock) =>
      Effect.andThen(ending(clock, helloTimeout, requests, call(...reading)), works),
    )
  })
  for (const part of [atOpen, atBeginning]) {
    const clock = yield* part
    const opened = count("Opened")
    yield* eventually(() => editor.control.connections() === 0)
    yield* clock.adjust("1 hour")
    assert.strictEqual(count("Opened"), opened)
  }
})

const sockets = () => process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length

describe("every fault of a fake editor", () => {
  test.live.each(rows)(
    "%s: %s ends in a result or a clear failure over %s, the next call works, and nothing is left (editors House 6)",
    function* ([profile, fault, front]) {
      const before = sockets()
      yield* Effect.scoped(meets(profile, fault as CommonFault, front))
      yield* eventually(() => sockets() <= before)
    },
  )
})
