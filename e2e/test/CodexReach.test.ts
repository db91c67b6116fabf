/** What becomes of a turn of the real Codex whose model cannot be reached (issue 15, point 7). */
import { assert, describe, it } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

/** In milliseconds: without trying again, with room for a busy machine. Codex alone takes 13 seconds, or for ever. */
const atOnce = 5_000

type Options = NonNullable<Parameters<typeof place>[1]>

/** Asks for a word, after a turn of a thread that has started the processes. */
const ask = (options: Options, providerOptions: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const at = yield* place("codex", options)
    const client = yield* OwnClient.adapter("codex")
    const config = OwnClient.config(at, { front: "stdio" })
    const session = yield* client.openSession({
      ...config,
      providerOptions: { ...config.providerOptions, ...providerOptions },
    })
    const start = performance.now()
    const answer = yield* OwnClient.ask(client, session, Wishes.prompt({ _tag: "Say", text: "here" }).text)
    return { ...answer, at, took: performance.now() - start }
  })

describe("the real Codex", () => {
  it.live("ends a turn by itself whose model's endpoint refuses connections, and says why", () =>
    Effect.gen(function* () {
      const { content, isError, took } = yield* ask({ isRefused: true })
      assert.isTrue(isError)
      assert.match(content, /Connection failed/)
      assert.isBelow(took, atOnce)
    }),
  )

  it.live("without a login that its model needs says so at once, and what logs in", () =>
    Effect.gen(function* () {
      const { took, ...answer } = yield* ask({ config: { model_provider: "openai" } })
      assert.isTrue(answer.isError)
      assert.deepStrictEqual(answer.cause, { _tag: "NotLoggedIn", command: "codex login" })
      assert.isBelow(took, atOnce)
    }),
  )

  it.live("without a login works with a thread whose provider needs none", () =>
    Effect.gen(function* () {
      const config = { model_provider: "openai" }
      const { content, isError } = yield* ask({ config }, { config: { model_provider: "scripted" } })
      assert.deepStrictEqual({ content, isError }, { content: "here", isError: false })
    }),
  )

  it.live("answers after a connection that broke, and tells that it tries again", () =>
    Effect.gen(function* () {
      let asked = 0
      const respond: Options["respond"] = (request) =>
        asked++ === 0 ? ScriptedTurn.droppedStream("half") : Wishes.play("codex")(request)
      const { content, events, isError } = yield* ask({ retries: true, respond })
      assert.deepStrictEqual({ content, isError }, { content: "here", isError: false })
      const tries = events.flatMap((event) => (event._tag === "Heartbeat" && event.retrying ? [event.retrying] : []))
      assert.match(tries.join(), /^Reconnecting\.\.\. 1\/5: stream disconnected/)
    }),
  )
})
