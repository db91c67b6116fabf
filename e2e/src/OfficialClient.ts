/**
 * The official SDK's client, without any code of Zain.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import { type Cause, Effect, type Scope } from "effect"
import type { CommandLine, Place, Way } from "./AgentServers.ts"
import * as Programs from "./Programs.ts"
import * as Wishes from "./Wishes.ts"

/** The result of a tool call. `progress`: the messages of its progress, in order. */
export interface Outcome {
  readonly content: string
  readonly threadId: string | undefined
  readonly isError: boolean
  readonly progress: ReadonlyArray<string>
}

type Call = Effect.Effect<Outcome, Cause.UnknownError>
type Arguments = Readonly<Record<string, unknown>>

/**
 * - `start`: a new thread; `args` are more arguments of the tool
 * - `reply`: the next turn of a thread; `args` as above
 * - `begin`: a new thread with one turn; returns the function for the next ones
 * - `asked`: the questions so far
 */
export interface OfficialClient {
  readonly client: Client
  readonly start: (prompt: string, args?: Arguments) => Call
  readonly reply: (threadId: string | undefined, prompt: string, args?: Arguments) => Call
  readonly begin: (args?: Arguments) => Effect.Effect<(prompt: string, args?: Arguments) => Call, Cause.UnknownError>
  readonly asked: ReadonlyArray<ElicitRequest["params"]>
}

/** Milliseconds; replaces the SDK's limit of one minute. It ends only what hangs. */
export const timeout = 240_000

/** A server at a URL, or as a process of the client. */
export type Server =
  | { readonly front: "stdio"; readonly command: CommandLine }
  | { readonly front: keyof typeof transports; readonly url: string }

const transports = {
  http: StreamableHTTPClientTransport,
  sse: SSEClientTransport,
  ws: WebSocketClientTransport,
}

const transportOf = (server: Server) =>
  server.front === "stdio"
    ? new StdioClientTransport({ ...server.command, stderr: "inherit" })
    : new transports[server.front](new URL(server.url))

/** Connects to any MCP server. Closed with the Scope. */
export const open = (
  server: Server,
  answer: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult> = () => ({ action: "decline" }),
): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "official", version: "1" }, { capabilities: { elicitation: {} } })
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
      // The SDK's types do not fit under `exactOptionalPropertyTypes`.
      await client.connect(transportOf(server) as Transport, { timeout })
      return client
    }),
    (client) => Effect.promise(() => client.close()),
  )

/** A client process in the middle of a call, until it is killed. */
export const call = (server: Server, name: string, args: Arguments) =>
  Programs.scoped(
    () => Programs.start("e2e/src/OfficialCaller.ts", {}, [JSON.stringify(server), name, JSON.stringify(args)]),
    "SIGKILL",
  )

/** Connects to an agent's server, by default its own over stdio. */
export const connect = Effect.fnUntraced(function* (
  { agent, command, directory }: Pick<Place, "agent" | "command" | "directory">,
  { args, front, url = "" }: Way = { front: "stdio" },
  answer?: Parameters<typeof open>[1],
): Effect.fn.Return<OfficialClient, never, Scope.Scope> {
  const asked: Array<ElicitRequest["params"]> = []
  const server = front === "stdio" ? { front, command: command(front, args) } : { front, url }
  const client = yield* open(server, (params) => {
    asked.push(params)
    return answer?.(params) ?? { action: "decline" }
  })
  const use = (name: string, args: Arguments): Call =>
    Effect.tryPromise(async () => {
      const progress: Array<string> = []
      const result = await client.callTool({ name, arguments: args }, undefined, {
        timeout,
        onprogress: ({ message = "" }) => progress.push(message),
      })
      const [first] = result.content as ReadonlyArray<{ readonly text?: string }>
      const structured = result.structuredContent as { readonly threadId?: string } | undefined
      return {
        ...{ content: first?.text ?? "", threadId: structured?.threadId },
        ...{ isError: result.isError === true, progress },
      }
    })
  const start: OfficialClient["start"] = (prompt, more) => use(agent, { prompt, cwd: directory, ...more })
  const reply: OfficialClient["reply"] = (threadId, prompt, more) =>
    use(`${agent}-reply`, { threadId, prompt, ...more })
  const begin: OfficialClient["begin"] = (more) =>
    Effect.map(
      start(Wishes.prompt({ _tag: "Say", text: "Hello." }).text, more),
      ({ threadId }) =>
        (prompt, later) =>
          reply(threadId, prompt, later),
    )
  return { client, asked, start, reply, begin }
})
