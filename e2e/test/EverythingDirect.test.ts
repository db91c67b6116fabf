import { assert, describe, it } from "@effect/vitest"
import { McpConnectionConfig, type McpEvents } from "@zain/core"
import * as Environment from "@zain/process/Environment"
import { SdkMcpClient } from "@zain/sdk-client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Everything from "../src/Everything.ts"
import * as HttpTap from "../src/HttpTap.ts"
import * as ToolProfile from "../src/ToolProfile.ts"

type Event = McpEvents.McpEvent

const longRunning = (duration: number, steps: number) =>
  ToolProfile.prompt("trigger-long-running-operation", { duration, steps })
const echo = (message: string) => ToolProfile.prompt("echo", { message })

const stdio = McpConnectionConfig.stdio({ command: process.execPath, args: [Everything.program, "stdio"] })

/** The server over a transport: the configuration that leads to it, and the tap in between where there is one. */
const place = (transport: McpConnectionConfig.McpConnectionConfig["transport"]) =>
  transport === "stdio"
    ? Effect.succeed({ config: stdio })
    : Effect.map(Effect.flatMap(Everything.serve(transport), HttpTap.make), (tap) => ({
        config: { transport, serverUrl: tap.url } as const,
        tap,
      }))

const openAt = Effect.fnUntraced(function* (config: McpConnectionConfig.McpConnectionConfig) {
  const client = yield* SdkMcpClient.make(ToolProfile.make("everything"))
  const session = yield* client.openSession(config)
  return {
    ask: (content: string) => client.execute(session, { content }),
    close: client.closeSession(session),
    /** Reads events from now on. `ended`: the session's last event has been read. */
    watch: (heard: (event: Event) => void = () => {}) =>
      Effect.gen(function* () {
        const events: Array<Event> = []
        const read = (event: Event) =>
          Effect.sync(() => {
            events.push(event)
            heard(event)
          })
        const reading = Stream.runForEach(client.events(session), read)
        const fiber = yield* Effect.forkScoped(reading, { startImmediately: true })
        return { events, ended: Fiber.await(fiber) }
      }),
  }
})

const overHttp = Effect.fnUntraced(function* () {
  const tap = yield* HttpTap.make(yield* Everything.serve("streamable-http"))
  const session = yield* openAt(McpConnectionConfig.streamableHttp({ url: tap.url }))
  const [id = ""] = tap.sessions.keys()
  return { tap, ...session, id }
})

const progressOf = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) => (event._tag === "Raw" ? (event.params as { readonly progress: number }).progress : []))

describe.each(["stdio", "streamable-http", "sse"] as const)("the reference server over %s", (transport) => {
  it.live("tells all progress before the result, in order", () =>
    Effect.gen(function* () {
      const { config } = yield* place(transport)
      const { ask, close, watch } = yield* openAt(config)
      const { ended, events } = yield* watch()
      const answer = yield* ask(longRunning(0.2, 4))
      assert.include(answer.content, "Long running operation completed")
      yield* close
      yield* ended
      assert.deepStrictEqual(progressOf(events), [1, 2, 3, 4])
      assert.strictEqual(events.at(-1)?._tag, "TurnCompleted")
    }),
  )

  it.live("goes on after a cancel, and the call that was given up says nothing more", () =>
    Effect.gen(function* () {
      const { config } = yield* place(transport)
      const { ask, close, watch } = yield* openAt(config)
      let begun = () => {}
      const progress = new Promise<void>((resolve) => {
        begun = resolve
      })
      const { ended, events } = yield* watch((event) => event._tag === "Raw" && begun())
      const call = yield* Effect.forkChild(ask(longRunning(60, 600)), { startImmediately: true })
      yield* Effect.promise(() => progress)
      yield* Fiber.interrupt(call)
      assert.strictEqual((yield* ask(longRunning(0.5, 1))).isError, false)
      assert.strictEqual((yield* ask(echo("still here"))).content, "Echo: still here")
      yield* close
      yield* ended
      const after = events.slice(events.findIndex(({ _tag }) => _tag === "TurnFailed"))
      assert.deepStrictEqual(progressOf(after), [1])
    }),
  )
})

describe("the reference server", () => {
  it.live("over stdio gets the usual variables and those that are named, and nothing else of the host's", () =>
    Effect.gen(function* () {
      process.env["ZAIN_E2E_SECRET"] = "not for you"
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["ZAIN_E2E_SECRET"]))
      const { ask } = yield* openAt({ ...stdio, env: { ZAIN_E2E_NAMED: "for you" } })
      const seen = JSON.parse((yield* ask(ToolProfile.prompt("get-env"))).content) as Record<string, string>
      assert.strictEqual(seen["PATH"], process.env["PATH"])
      assert.strictEqual(seen["ZAIN_E2E_NAMED"], "for you")
      // By the mark we find the processes of a session again.
      const allowed = [...Environment.usual.filter((name) => !name.endsWith("*")), "ZAIN_E2E_NAMED", "ZAIN_OWNER"]
      const others = Object.keys(seen).filter((name) => !allowed.includes(name) && !name.startsWith("LC_"))
      assert.deepStrictEqual(others, [])
    }),
  )

  it.live("over Streamable HTTP accepts the DELETE of a session that is closed", () =>
    Effect.gen(function* () {
      const { close, tap } = yield* overHttp()
      assert.strictEqual(tap.sessions.size, 1)
      yield* close
      assert.deepStrictEqual(tap.passed.at(-1), { route: "DELETE /mcp", status: 200 })
      assert.strictEqual(tap.sessions.size, 0)
    }),
  )

  it.live("over Streamable HTTP answers 400 for a session that it forgot, and we say that it refuses the request", () =>
    Effect.gen(function* () {
      const { ask, close, id, tap } = yield* overHttp()
      const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" }
      yield* Effect.promise(() => fetch(tap.url, { method: "DELETE", headers }))
      const error = yield* Effect.flip(ask(echo("anybody there?")))
      assert.deepInclude(tap.passed.at(-1), { route: "POST /mcp", status: 400 })
      assert.deepInclude(error, { _tag: "InvalidRequest", reason: "rejected-by-server", delivery: "not-sent" })
      assert.include(error.message, "No valid session ID provided")
      yield* close
    }),
  )

  it.live("over Streamable HTTP gives the answer of a call whose stream broke off, without a second call", () =>
    Effect.gen(function* () {
      const { ask, close, tap, watch } = yield* overHttp()
      const { ended, events } = yield* watch(
        (event) => event._tag === "Raw" && progressOf([event])[0] === 1 && tap.cut(),
      )
      const answer = yield* ask(longRunning(0.2, 4))
      assert.include(answer.content, "Long running operation completed")
      yield* close
      yield* ended
      assert.deepStrictEqual(progressOf(events), [1, 2, 3, 4])
      const calls = tap.passed.filter(({ route }) => route !== "DELETE /mcp").map(({ route }) => route)
      // The server's own stream is asked for before the call, and is cut with the call's.
      assert.deepStrictEqual(calls.slice(0, 4), ["POST /mcp", "POST /mcp", "GET /mcp", "POST /mcp"])
      assert.deepStrictEqual([...new Set(calls.slice(4))], ["GET /mcp"])
    }),
  )
})
