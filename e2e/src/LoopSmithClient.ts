/**
 * A client of LoopSmith as anybody would write it with the official SDK: nothing of ours is on its side of the wire.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { EvaluationResponse } from "@zain/loopsmith/Evaluation"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CommandLine } from "./AgentServers.ts"
import type { Door, LoopSmithPlace } from "./LoopSmithPlace.ts"
import { timeout } from "./OfficialClient.ts"

/** `evaluate`: one call of `evaluate_document`. */
export interface LoopSmithClient {
  readonly client: Client
  readonly evaluate: (content: string) => Promise<EvaluationResponse>
}

/** How to reach a server: at a URL, or as a process of one's own. */
export type Way =
  | { readonly door: "stdio"; readonly command: CommandLine }
  | { readonly door: Exclude<Door, "stdio">; readonly url: string }

const transports = {
  ws: (url: URL) => new WebSocketClientTransport(url),
  http: (url: URL) => new StreamableHTTPClientTransport(url),
}

const transportOf = (way: Way) =>
  way.door === "stdio"
    ? new StdioClientTransport({ ...way.command, stderr: "inherit" })
    : transports[way.door](new URL(way.url))

/** Connects to a server. Closed with the Scope. */
export const connect = (way: Way): Effect.Effect<LoopSmithClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "official", version: "1" })
        // The SDK's own types do not fit each other when optional is not undefined.
        await client.connect(transportOf(way) as Transport, { timeout })
        // From here on it checks results by the tools' schemas.
        await client.listTools()
        return client
      }),
      (client) => Effect.promise(() => client.close()),
    ),
    (client) => ({
      client,
      evaluate: async (content) => {
        const params = { name: "evaluate_document", arguments: { content } }
        const { structuredContent } = await client.callTool(params, undefined, { timeout })
        return structuredContent as EvaluationResponse
      },
    }),
  )

/** A way into `loopsmith serve` with these arguments; one that listens does so until the Scope ends. */
export const open = (
  place: LoopSmithPlace,
  door: Door,
  args: ReadonlyArray<string>,
): Effect.Effect<Way, never, Scope.Scope> =>
  door === "stdio"
    ? Effect.succeed({ door, command: place.command(["serve", "stdio", ...args]) })
    : Effect.map(place.serve(door, args), ({ url }) => ({ door, url }))
