/**
 * A client of a server over each front.
 */
import { PassThrough } from "node:stream"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import type { HttpServeError } from "@zain/tool-server/http/HttpServeError"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Effect, type Scope } from "effect"
import * as ByHand from "./ByHand.ts"
import type * as Editors from "./Editors.ts"

const transports = {
  http: (url: URL) => new StreamableHTTPClientTransport(url) as Transport,
  sse: (url: URL) => new SSEClientTransport(url) as Transport,
  ws: (url: URL) => new WebSocketClientTransport(url) as Transport,
}

export type HttpFront = keyof typeof transports
export type Front = HttpFront | "stdio"
export const fronts: ReadonlyArray<Front> = ["stdio", "http", "sse", "ws"]

/** A client's transport to a server that listens on a free port, or reads a pipe, until the Scope ends. */
export const reach =
  (front: Front): Editors.Reach =>
  (server) => {
    if (front !== "stdio") {
      const served = HttpServe.serve({ server, kind: front, host: "127.0.0.1", port: 0, tokens: [] })
      return Effect.map(served, ({ url }) => transports[front](new URL(url)))
    }
    const [input, output] = [new PassThrough(), new PassThrough()]
    // The streams of stdio have no sides.
    return Effect.as(server.session(StdioTransport.make(input, output)), new StdioServerTransport(output, input))
  }

/** The official client of a server; both end with the Scope. `prepare`: before it connects. */
export const sdk = Effect.fnUntraced(function* (
  server: ToolServer,
  front: Front,
  prepare: (client: Client) => void = () => {},
) {
  const transport = yield* reach(front)(server)
  const client = new Client({ name: "by sdk", version: "1" })
  prepare(client)
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(transport)),
    () => Effect.promise(() => client.close()),
  )
  return client
})

export type Caller = (name: string, args: object) => Effect.Effect<ByHand.Answer["result"]>

/** Calls tools over a front. */
export const caller = Effect.fnUntraced(function* (
  server: ToolServer,
  front: Front,
): Effect.fn.Return<Caller, HttpServeError, Scope.Scope> {
  if (front === "stdio") {
    const { call } = yield* ByHand.client(server)
    return (name: string, args: object) => Effect.map(call(name, args), ({ result }) => result)
  }
  const client = yield* sdk(server, front)
  return (name: string, args: object) =>
    Effect.promise(async () => (await client.callTool({ name, arguments: { ...args } })) as ByHand.Answer["result"])
})
