/**
 * Failures of a server of a fake editor, as an MCP client reads them on the wire.
 */
import { assert } from "@effect/vitest"
import * as FakeConnection from "@zain/editor-link/fake/FakeConnection"
import * as Carrier from "@zain/editor-link/infrastructure/link/Carrier"
import type { Target } from "@zain/editor-link/infrastructure/link/Target"
import type { EditorSettings } from "@zain/editor-link/infrastructure/mcp/EditorSettings"
import { Effect } from "effect"
import * as ByHand from "../../editor-link/testing/ByHand.ts"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { type Call, type FakeProfile, fakeProfiles, type ProfileName } from "./FakeProfiles.ts"

/** Waits until this holds, and does something in each turn of the event loop that it does not. */
export const eventually = (holds: () => boolean, meanwhile: Effect.Effect<void> = Effect.void): Effect.Effect<void> =>
  Effect.suspend(() =>
    holds()
      ? Effect.void
      : Effect.andThen(Effect.andThen(meanwhile, FakeConnection.turn), eventually(holds, meanwhile)),
  )

export const profileNames = ["unity-loop", "unity"] as const

export const mebibytes = 2 ** 20

/** A server of a fake editor, and a client by hand. `works`: calms the editor, and calls it; `losses`: how many connections the server has lost. */
export const begin = Effect.fnUntraced(function* (name: ProfileName, settings: Partial<EditorSettings> = {}) {
  const fake: FakeProfile = fakeProfiles[name]
  const unity = yield* fake.start()
  let lost = 0
  const connect =
    (target: Target): Carrier.Connect =>
    (listener) =>
      Carrier.tcp(
        fake.profile,
        target,
        settings.maxFrame,
      )({
        ...listener,
        ended: (seen) => {
          listener.ended(seen)
          lost++
        },
      })
  const target = { host: "127.0.0.1", port: unity.port }
  const server = yield* Editors.server(fake.profile, [target], { connect, ...settings })
  const client = yield* ByHand.client(server)
  const call = ([tool, args]: Call) => client.call(tool, args)
  const works = Effect.gen(function* () {
    unity.control.calm()
    yield* unity.control.reopen
    const answer = yield* call(fake.reading)
    assert.notStrictEqual(answer.result?.isError, true, ByHand.textOf(answer))
    assert.include(ByHand.textOf(answer), fake.shows)
  })
  /** Closes the editor; the server has seen that when this ends. */
  const close = (how: "reload" | "quit") =>
    Effect.suspend(() => {
      const before = lost
      return Effect.andThen(
        unity.control[how],
        eventually(() => lost > before),
      )
    })
  const requests = () => unity.seen.flatMap((seen) => (seen._tag === "Frame" ? [seen.text] : []))
  return { ...client, call, close, fake, losses: () => lost, requests, server, unity, works }
})

/** What is expected of a failure, and parts of its message. */
export interface Expected {
  readonly code: string
  readonly category: "connection" | "tool" | "validation"
  readonly reason: string
  readonly delivery: "not-sent" | "unknown" | "answered"
  readonly retryable: boolean
  readonly words: ReadonlyArray<string>
}

/** The failure is this on the wire, and its text is its message. */
export const check = (answer: ByHand.Answer, { reason, words, ...expected }: Expected, editor = "") => {
  const failure = ByHand.failureOf(answer)
  assert.isDefined(failure, JSON.stringify(answer))
  const { details, message, ...rest } = failure
  assert.deepStrictEqual([rest, details.reason], [{ ...expected, editor }, reason], message)
  assert.isTrue(answer.result?.isError)
  assert.strictEqual(ByHand.textOf(answer), message)
  for (const part of words) assert.include(message, part)
}

/** The failures of several tests. */
export const lost = { code: "CONNECTION_ERROR", category: "connection", reason: "lost", delivery: "unknown" } as const
export const garbage = { ...lost, reason: "garbage" } as const
export const refused = {
  code: "DISCOVERY_ERROR",
  category: "connection",
  delivery: "not-sent",
  retryable: true,
} as const
