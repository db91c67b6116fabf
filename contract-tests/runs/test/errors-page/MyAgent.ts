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
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import type { McpWire, WireFactory, WireListener } from "@zain/sdk-client/McpWire"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as ThreadAnswer from "@zain/sdk-client/ThreadAnswer"
import { type Duration, Effect, Fiber, Schema, type Scope } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { directory } from "../../../../packages/process/test/Directory.ts"
import * as HttpServer from "../../../../packages/sdk-client/test/HttpServer.ts"
import { plain } from "../../../../packages/sdk-client/test/Server.ts"

const { stdio } = McpConnectionConfig

/** Ways to come to an error, by what goes wrong: each effect succeeds with the error. */
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

type Client = Effect.Effect<McpClientAdapter, never, Scope.Scope>
type Config = McpConnectionConfig.McpConnectionConfig
type Place = Config | Effect.Effect<Config, never, Scope.Scope>

const configOf = (place: Place) => (Effect.isEffect(place) ? place : Effect.succeed(place))

/** Why a session does not open. */
export const refused = Effect.fnUntraced(function* (place: Place, adapter: Client = client) {
  return yield* Effect.flip((yield* adapter).openSession(yield* configOf(place)))
})

/** Why the last of some prompts is not answered. */
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

/** The error of what fails once so much time has passed. */
export const after = <E>(time: Duration.Input, failing: Effect.Effect<McpError, E, Scope.Scope>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(failing, { startImmediately: true })
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(TestClock.layer()))

const program = fileURLToPath(new URL("my-agent.mjs", import.meta.url))
const script = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`

/** A PATH with a program of this name, such as `my-agent`, which is looked for there before anywhere else. */
export const pathWith = (name: string, text: string, mode = 0o700) =>
  Effect.map(directory, (home) => {
    writeFileSync(join(home, name), text, { mode })
    return `${home}:/usr/bin:/bin`
  })

/** How to start `my-agent`, from a PATH that has it. */
export const onPath = (what: string, limits: McpConnectionConfig.McpLimits = {}) =>
  Effect.map(pathWith("my-agent", script), (PATH) =>
    stdio({ command: "my-agent", args: [what], env: { PATH }, ...limits }),
  )

/** Answers a request, by its HTTP method or by its message's; with `undefined`, a server that is well does. */
export type Answer = (response: ServerResponse, asked: string) => unknown

/** A server of this process, by its URL. */
export const server = (answer: Answer = () => undefined) =>
  Effect.map(
    HttpServer.start(({ body, method }, response) =>
      answer(response, body.method ?? method) === undefined ? undefined : true,
    ),
    ({ url }) => url,
  )

/** The result of each tool call in turn, after the handshake with a server of this name. */
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

/** A wire that says nothing at all. */
export const silence: WireFactory = () =>
  Effect.succeed({
    listen: () => {},
    send: () => {},
    diagnostics: () => ({ stderrTail: "waiting for a login at http://localhost:1455" }),
  })
