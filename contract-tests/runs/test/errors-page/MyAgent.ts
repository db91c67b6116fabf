/**
 * A client of a third party's agent, `my-agent`, and the ways to reach one: a program on PATH, a server of this process, or
 * a wire without either.
 */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
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

/** Why a session does not open. */
export const refused = (config: McpConnectionConfig.McpConnectionConfig, adapter: Client = client) =>
  Effect.flatMap(adapter, (made) => Effect.flip(made.openSession(config)))

/** Why the last of some prompts is not answered. */
export const unanswered = (
  config: McpConnectionConfig.McpConnectionConfig,
  prompts: ReadonlyArray<string>,
  adapter: Client = client,
) =>
  Effect.gen(function* () {
    const made = yield* adapter
    const session = yield* made.openSession(config)
    let error: McpError | undefined
    for (const content of prompts) {
      error = yield* Effect.flip(made.execute(session, { content })).pipe(Effect.orElseSucceed(() => undefined))
    }
    return error ?? (yield* Effect.die(new Error("The last prompt was answered.")))
  })

/** A directory of a test's own. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "zain-errors-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const program = fileURLToPath(new URL("my-agent.mjs", import.meta.url))

/** How to start `my-agent`, from a PATH that has it. */
export const onPath = (what: string, limits: McpConnectionConfig.McpLimits = {}) =>
  Effect.map(directory, (home) => {
    const file = join(home, "my-agent")
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o700 })
    return McpConnectionConfig.stdio({
      command: "my-agent",
      args: [what],
      env: { PATH: `${home}:/usr/bin:/bin` },
      ...limits,
    })
  })

/** A PATH with a file of this name that may not be executed; a name is looked for nowhere else. */
export const withoutPermission = Effect.map(directory, (home) => {
  mkdirSync(join(home, "bin"))
  writeFileSync(join(home, "bin", "my-agent"), "")
  chmodSync(join(home, "bin", "my-agent"), 0o600)
  return McpConnectionConfig.stdio({ command: "my-agent", env: { PATH: join(home, "bin") } })
})

/** One request, as it arrived. */
export interface Asked {
  readonly method: string
  readonly body: { readonly id?: string | number; readonly method?: string }
}

/** Answers a request, or leaves it to a server that is well. */
export type Answer = (asked: Asked, response: ServerResponse) => unknown

const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "my-agent", version: "1" },
}

const well: Answer = ({ body, method }, response) => {
  if (method !== "POST") return response.writeHead(method === "DELETE" ? 204 : 405).end()
  if (body.id === undefined) return response.writeHead(202).end()
  const result = body.method === "initialize" ? initialized : { content: [{ type: "text", text: "well" }] }
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "one" })
  return response.end(JSON.stringify({ jsonrpc: "2.0", id: body.id, result }))
}

const listener =
  (answer: Answer): RequestListener =>
  (request: IncomingMessage, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const text = Buffer.concat(pieces).toString()
      const asked = { method: request.method ?? "", body: text === "" ? {} : JSON.parse(text) }
      if (answer(asked, response) === undefined) well(asked, response)
    })
  }

/** A server of this process, by its origin. `connect`: what it says to who wants it as a proxy. */
export const server = (answer: Answer, connect = "") =>
  Effect.acquireRelease(
    Effect.callback<{ readonly origin: string; readonly stop: () => void }>((resume) => {
      const http = createServer(listener(answer))
      http.on("connect", (_, socket) => socket.end(`HTTP/1.1 ${connect}\r\ncontent-length: 0\r\n\r\n`))
      http.listen(0, "127.0.0.1", () => {
        const { port } = http.address() as AddressInfo
        const stop = () => {
          http.close()
          http.closeAllConnections()
        }
        resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop),
  ).pipe(Effect.map(({ origin }) => origin))

/** A variable of this process's environment, for a while. */
export const variable = (name: string, value: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env[name]
      process.env[name] = value
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      }),
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
