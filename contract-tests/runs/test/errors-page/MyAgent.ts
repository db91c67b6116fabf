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
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { vi } from "vitest"
import { directory } from "../../../../packages/process/test/Directory.ts"
import * as FakePeerHost from "../../../src/FakePeerHost.ts"

const { stdio } = McpConnectionConfig

/** Ways to come to an error, by what goes wrong: each effect succeeds with the error. */
export type Provocations = Readonly<Record<string, Effect.Effect<McpError, unknown, Scope.Scope>>>

export const profile: AgentProfile<{ readonly model?: string }> = {
  provider: "my-agent",
  supports: { streaming: false, approvals: false, cancelKeepsConversation: false, failureKeepsConversation: true },
  options: Schema.Struct({ model: Schema.optionalKey(Schema.String) }),
  environment: [],
  open: (target) =>
    Effect.succeed({
      target,
      call: (prompt) => ({ name: "ask", arguments: { prompt } }),
      read: ThreadAnswer.reader("my-agent"),
    }),
  event: () => undefined,
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

const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "my-agent", version: "1" },
}

const well = (response: ServerResponse, asked: string, id: unknown) => {
  if (id === undefined) return response.writeHead({ DELETE: 204, GET: 405 }[asked] ?? 202).end()
  const result = asked === "initialize" ? initialized : { content: [{ type: "text", text: "well" }] }
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "one" })
  return response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
}

/** A server of this process, by its origin. */
export const server = (answer: Answer = () => undefined) =>
  Effect.map(
    FakePeerHost.listen(({ body, response, route }) => {
      const [method = ""] = route.split(" ")
      const { id, method: asked } = body === "" ? { method } : JSON.parse(body)
      if (answer(response, asked) === undefined) well(response, asked, id)
    }),
    ({ origin }) => origin,
  )

/** A variable of this process's environment, for a while. */
export const variable = (name: string, value: string) =>
  Effect.acquireRelease(
    Effect.sync(() => vi.stubEnv(name, value)),
    () => Effect.sync(() => vi.unstubAllEnvs()),
  )

/** The result of each tool call in turn, from a server that is called so. */
export const wire =
  (name: string, results: ReadonlyArray<unknown> = []): WireFactory =>
  () =>
    Effect.sync((): McpWire => {
      let listening: WireListener | undefined
      let calls = 0
      const answer = (message: JsonRpcMessage) => {
        if (!("id" in message && "method" in message)) return
        const result =
          message.method === "initialize" ? { ...initialized, serverInfo: { name, version: "1" } } : results[calls++]
        queueMicrotask(() => listening?.message({ jsonrpc: "2.0", id: message.id, result } as JsonRpcMessage))
      }
      return {
        listen: (to) => {
          listening = to
        },
        send: answer,
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
