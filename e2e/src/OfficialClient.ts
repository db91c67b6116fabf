/**
 * The official SDK's client as anybody would use it: nothing of ours is on its side of the wire.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Place, Way } from "./AgentServers.ts"

/** What a call of a tool came to. `progress`: the messages of its progress, in order. */
export interface Outcome {
  readonly content: string
  readonly threadId: string | undefined
  readonly isError: boolean
  readonly progress: ReadonlyArray<string>
}

/**
 * - `start`: a new thread; `args` are more arguments of the tool
 * - `reply`: the next turn of a thread; `args` as above
 * - `asked`: every question so far
 * - `heard`: the messages of all progress so far
 */
export interface OfficialClient {
  readonly client: Client
  readonly start: (prompt: string, args?: Record<string, unknown>, signal?: AbortSignal) => Promise<Outcome>
  readonly reply: (
    threadId: string,
    prompt: string,
    signal?: AbortSignal,
    args?: Record<string, unknown>,
  ) => Promise<Outcome>
  readonly asked: ReadonlyArray<ElicitRequest["params"]>
  readonly heard: ReadonlyArray<string>
}

/** In milliseconds, for the SDK, whose own minute is no measure of a test. It only ends what hangs. */
export const timeout = 240_000

/** Connects to an agent's server, its own over stdio or one at a URL. Closed with the Scope. */
export const connect = (
  place: Place,
  to: Way,
  answer: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult> = () => ({ action: "decline" }),
): Effect.Effect<OfficialClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "official", version: "1" }, { capabilities: { elicitation: {} } })
        const asked: Array<ElicitRequest["params"]> = []
        client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
          asked.push(params)
          return answer(params)
        })
        const url = new URL(to.url ?? "stdio:")
        const transport =
          to.front === "stdio"
            ? new StdioClientTransport({ ...place.command("stdio", to.args), stderr: "inherit" })
            : to.front === "http"
              ? new StreamableHTTPClientTransport(url)
              : new SSEClientTransport(url)
        // The SDK's own types do not fit each other when optional is not undefined.
        await client.connect(transport as Transport, { timeout })
        return { client, asked }
      }),
      ({ client }) => Effect.promise(() => client.close()),
    ),
    ({ asked, client }) => {
      const heard: Array<string> = []
      const call = async (name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome> => {
        const progress: Array<string> = []
        const result = await client.callTool({ name, arguments: args }, undefined, {
          timeout,
          onprogress: ({ message = "" }) => {
            progress.push(message)
            heard.push(message)
          },
          ...(signal === undefined ? {} : { signal }),
        })
        const [first] = result.content as ReadonlyArray<{ readonly text?: string }>
        const structured = result.structuredContent as { readonly threadId?: string } | undefined
        const { threadId } = structured ?? {}
        return { content: first?.text ?? "", threadId, isError: result.isError === true, progress }
      }
      const { agent, directory } = place
      return {
        client,
        asked,
        heard,
        start: (prompt, args = {}, signal) => call(agent, { prompt, cwd: directory, ...args }, signal),
        reply: (threadId, prompt, signal, args = {}) => call(`${agent}-reply`, { threadId, prompt, ...args }, signal),
      }
    },
  )
