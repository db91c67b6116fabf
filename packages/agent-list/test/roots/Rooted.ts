/**
 * Servers with a root, over every transport, and the files in and around the root.
 *
 * - `root`: holds `sub`, `file`, `out` (a link to `outside`) and `lost` (a link to nothing)
 * - beside it lie `outside`, `root-too`, and `link`, a link to the root
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import * as AgentServer from "@zain/agent-server/AgentServer"
import type { Agent } from "@zain/agent-server/ServedAgent"
import * as HostGuard from "@zain/process/HostGuard"
import { directory } from "@zain/testkit/Directory"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import type { Token } from "@zain/tool-server/http/Principals"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Duration, Effect, Layer, type Scope } from "effect"
import * as Clients from "../../../agent-server/testing/Clients.ts"
import * as ClaudeCodeAgent from "../../../claude-code-client/src/server/ClaudeCodeAgent.ts"
import * as ClaudeCode from "../../../claude-code-client/testing/server/ClaudeCode.ts"
import * as CodexAgent from "../../../codex-client/src/server/CodexAgent.ts"
import * as Codex from "../../../codex-client/testing/server/Codex.ts"

export type AgentName = "codex" | "claude-code"
export const fronts = ["stdio", "http", "sse"] as const
export type FrontName = (typeof fronts)[number]

const programs = {
  codex: { start: Codex.start, make: CodexAgent.live },
  "claude-code": { start: ClaudeCode.start, make: ClaudeCodeAgent.live },
}

/** `agent`: makes the agent as a restarted server does; all agents of a place share their threads. */
export interface Place {
  readonly name: AgentName
  readonly home: string
  readonly root: string
  readonly outside: string
  readonly agent: (env?: Readonly<Record<string, string>>) => Effect.Effect<Agent<unknown>, never, Scope.Scope>
}

/** @param install the program; by default none, but the fake in this process whose prompts are scripts */
export const place = Effect.fnUntraced(function* (
  name: AgentName,
  install: (home: string) => Effect.Effect<Pick<AgentCommand, "command" | "start">> = (home) =>
    Effect.succeed({ command: name, start: programs[name].start(home) }),
): Effect.fn.Return<Place, never, Scope.Scope> {
  const home = yield* directory
  const [root, outside] = [join(home, "root"), join(home, "outside")]
  for (const path of [root, join(root, "sub"), outside, join(outside, "deep"), `${root}-too`]) mkdirSync(path)
  writeFileSync(join(root, "file"), "")
  symlinkSync(outside, join(root, "out"))
  symlinkSync(join(home, "none"), join(root, "lost"))
  symlinkSync(root, join(home, "link"))
  const guarded = yield* Layer.build(HostGuard.layer)
  const { make } = programs[name]
  const program = yield* install(home)
  const agent: Place["agent"] = (env) =>
    Effect.provideContext(
      make({
        ...program,
        args: [],
        env: { PATH: process.env["PATH"] ?? "", HOME: home, FAKE_HOME: home, ...env },
        modelTimeout: Duration.seconds(60),
        acceptTimeout: Duration.seconds(60),
      }) as Effect.Effect<Agent<unknown>, never, Scope.Scope | HostGuard.HostGuard>,
      guarded,
    )
  return { name, home, root, outside, agent }
})

/** A server of a place, for clients whose token names no root of its own. */
export const server = (at: Place, roots: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) =>
  Effect.map(at.agent(env), (agent) => AgentServer.make(agent, { version: "0", roots }))

/** The result of a call. */
export interface Outcome {
  readonly text: string
  readonly isError: boolean
  readonly threadId: string
}

/** `start`, `reply`: the two tools. `asked`: requests to the client, which approves everything. */
export interface RootedClient {
  readonly start: (prompt: string, options?: object) => Effect.Effect<Outcome>
  readonly reply: (threadId: string, prompt: string) => Effect.Effect<Outcome>
  readonly asked: () => number
}

/** A client over a transport that is not started. */
const over = (name: AgentName, transport: Transport): Effect.Effect<RootedClient, never, Scope.Scope> =>
  Effect.map(
    Clients.connect(transport, { capabilities: { elicitation: {} }, answer: () => ({ action: "accept" }) }),
    ({ asked, call }) => {
      const outcome = (tool: string, args: object) =>
        Effect.map(Effect.orDie(call(tool, args)), ({ content, isError, structuredContent }: CallToolResult) => {
          const [first] = content as ReadonlyArray<{ readonly text: string }>
          const threadId = String(structuredContent?.["threadId"] ?? "")
          return { text: first?.text ?? "", isError: isError === true, threadId }
        })
      return {
        start: (prompt, options = {}) => outcome(name, { prompt, ...options }),
        reply: (threadId, prompt) => outcome(`${name}-reply`, { prompt, threadId }),
        asked: () => asked.length,
      }
    },
  )

/** Address of a server for clients with these tokens. */
export const listen = (served: ToolServer, kind: "http" | "sse", tokens: ReadonlyArray<Token> = []) =>
  Effect.map(HttpServe.serve({ server: served, kind, host: "127.0.0.1", port: 0, tokens }), ({ url }) => new URL(url))

export const connect = (name: AgentName, kind: "http" | "sse", url: URL, token?: string) => {
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  const Wire = kind === "http" ? StreamableHTTPClientTransport : SSEClientTransport
  // The SDK's own types do not fit each other when optional is not undefined.
  return over(name, new Wire(url, { requestInit }) as Transport)
}

/** A client of a server over its own front. */
export const client = Effect.fnUntraced(function* (name: AgentName, served: ToolServer, front: FrontName) {
  if (front !== "stdio") return yield* connect(name, front, yield* Effect.orDie(listen(served, front)))
  const [input, output] = [new PassThrough(), new PassThrough()]
  yield* served.session(StdioTransport.make(input, output))
  return yield* over(name, new StdioServerTransport(output, input))
})

/** Starts a thread on a server without a root, which ends after the turn. */
export const startFreely = (
  at: Place,
  prompt: string,
  options: object,
  env?: Readonly<Record<string, string>>,
): Effect.Effect<Outcome> =>
  Effect.flatMap(server(at, [], env), (served) => client(at.name, served, "stdio")).pipe(
    Effect.flatMap(({ start }) => start(prompt, options)),
    Effect.scoped,
  )
