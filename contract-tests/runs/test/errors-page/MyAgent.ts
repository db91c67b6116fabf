/**
 * A client of a third party's agent, `my-agent`, and the ways to reach one: a program on PATH, a server of this process, or
 * a wire without either.
 */
import { writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import type { McpTool } from "@zain/core/McpTool"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import type { McpWire, WireFactory, WireListener } from "@zain/sdk-client/McpWire"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as ThreadAnswer from "@zain/sdk-client/ThreadAnswer"
import { directory } from "@zain/testkit/Directory"
import { type Duration, Effect, Fiber, Schema, type Scope } from "effect"
import * as TestClock from "effect/testing/TestClock"
import * as HttpServer from "../../../../packages/sdk-client/testing/HttpServer.ts"
import { plain } from "../../../../packages/sdk-client/testing/Server.ts"

const { stdio } = McpConnectionConfig

/** Effects that succeed with an error, by its cause. */
export type Provocations = Readonly<Record<string, Effect.Effect<McpError, unknown, Scope.Scope>>>

export const profile: AgentProfile<{ readonly model?: string }> = {
  ...plain,
  provider: "my-agent",
  supports: { ...plain.supports, streaming: false, cancelKeepsConversation: false },
  options: Schema.Struct({ model: Schema.optionalKey(Schema.String) }),
  open: (target) =>
    Effect.succeed({
      target,
      call: (prompt) => ({ name: "ask", arguments: { prompt } }),
      read: ThreadAnswer.reader("my-agent"),
    }),
}

export const client = SdkMcpClient.make(profile)

/** A tool of a session's own. */
export const tool: McpTool = { name: "stock", description: "Counts.", input: { type: "object" }, run: () => 12 }

type Client = Effect.Effect<McpClientAdapter, never, Scope.Scope>
type Config = McpConnectionConfig.McpConnectionConfig
type Place = Config | Effect.Effect<Config, never, Scope.Scope>

const configOf = (place: Place) => (Effect.isEffect(place) ? place : Effect.succeed(place))

/** The error of an `openSession` that fails. */
export const refused = Effect.fnUntraced(function* (place: Place, adapter: Client = client) {
  return yield* Effect.flip((yield* adapter).openSession(yield* configOf(place)))
})

/** The error of the last of some prompts. */
export const unanswered = Effect.fnUntraced(function* (
  place: Place,
  prompts: ReadonlyArray<string>,
  adapter: Client = client,
) {
  const made = yield* adapter
  const session = yield* made.openSession(yield* configOf(place))
  for (const content of prompts.slice(0, -1)) yield* Effect.exit(made.execute(session, { content }))
  return yield* Effect.flip(made.execute(session, { content: prompts.at(-1) ?? "" }))
})

/** The error of an effect that fails after this time. */
export const after = <E>(time: Duration.Input, failing: Effect.Effect<McpError, E, Scope.Scope>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(failing, { startImmediately: true })
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(TestClock.layer()))

const program = fileURLToPath(new URL("my-agent.mjs", import.meta.url))
const script = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`

/** A PATH that starts with a directory that holds a program of this name, such as `my-agent`. */
export const pathWith = (name: string, text: string, mode = 0o700) =>
  Effect.map(directory, (home) => {
    writeFileSync(join(home, name), text, { mode })
    return `${home}:/usr/bin:/bin`
  })

/** A configuration that starts `my-agent` from PATH. */
export const onPath = (what: string, limits: McpConnectionConfig.McpLimits = {}) =>
  Effect.map(pathWith("my-agent", script), (PATH) =>
    stdio({ command: "my-agent", args: [what], env: { PATH }, ...limits }),
  )

/** Answers a request by its HTTP method or its message's method; `undefined` leaves it to a healthy server. */
export type Answer = (response: ServerResponse, asked: string) => unknown

/** Starts a server in this process; returns its URL. */
export const server = (answer: Answer = () => undefined) =>
  Effect.map(
    HttpServer.start(({ body, method }, response) =>
      answer(response, body.method ?? method) === undefined ? undefined : true,
    ),
    ({ url }) => url,
  )

/** A connection to a server of this name that answers tool calls with these results, in order. */
export const wire =
  (name: string, results: ReadonlyArray<unknown> = []): WireFactory =>
  () =>
    Effect.sync((): McpWire => {
      let listening: WireListener | undefined
      const answers = [{ ...HttpServer.initialized, serverInfo: { name, version: "1" } }, ...results]
      return {
        listen: (to) => {
          listening = to
        },
        send: (message) => {
          if (!("id" in message && "method" in message)) return
          const answer = { jsonrpc: "2.0", id: message.id, result: answers.shift() } as JsonRpcMessage
          queueMicrotask(() => listening?.message(answer))
        },
        diagnostics: () => ({}),
      }
    })

/** A connection without any answer. */
export const silence: WireFactory = () =>
  Effect.succeed({
    listen: () => {},
    send: () => {},
    diagnostics: () => ({ stderrTail: "waiting for a login at http://localhost:1455" }),
  })
