/**
 * A front with the in-memory agent behind it, and clients that speak MCP to it by hand.
 */

import * as HttpFront from "@zain/tool-server/http/HttpFront"
import type { HttpLimits } from "@zain/tool-server/http/HttpLimits"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as AgentServer from "../../src/AgentServer.ts"
import * as InMemoryAgent from "../InMemoryAgent.ts"
import * as RawClient from "./RawClient.ts"

export interface Options {
  readonly kind?: "http" | "sse"
  readonly host?: string
  readonly port?: number
  readonly tokens?: ReadonlyArray<string>
  readonly allowedHosts?: ReadonlyArray<string>
  readonly allowedOrigins?: ReadonlyArray<string>
  readonly limits?: Partial<HttpLimits>
}

/** A front that listens on a free port until the test ends. */
export const start = ({ kind = "http", host = "127.0.0.1", tokens = [], ...options }: Options = {}) =>
  Effect.gen(function* () {
    const agent = InMemoryAgent.make()
    const server = AgentServer.make(agent, { version: "0" })
    const secrets = tokens.map((token) => ({ value: Redacted.make(token) }))
    const { url } = yield* HttpFront.serve({ server, kind, host, port: 0, ...options, tokens: secrets })
    return { agent, url, port: Number(new URL(url).port), seen: agent.seen }
  })

/** The same, whose `clock` stands still unless the test moves it: what a server does by limits that pass. */
export const still = (options?: Options) =>
  Effect.gen(function* () {
    const clock = yield* TestClock.make({ warningDelay: "1 hour" })
    return { clock, ...(yield* Effect.provideService(start(options), Clock.Clock, clock)) }
  })

export const json = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
}

export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown> & {
    readonly isError?: boolean
    readonly structuredContent?: { readonly threadId: string; readonly content: string }
  }
  readonly error?: { readonly code: number; readonly message: string }
}

/** The messages of a reply, whether it is JSON or a stream of events. */
export const messages = (text: string): ReadonlyArray<Message> =>
  text.startsWith("{")
    ? [JSON.parse(text) as Message]
    : text
        .split("\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => JSON.parse(line.slice(6)) as Message)

/** The ids of the events of a stream, in order. */
export const eventIds = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith("id: ") ? [line.slice(4)] : []))

/** What a refusal says. */
export const reasonOf = ({ text }: RawClient.Reply): string | undefined => messages(text)[0]?.error?.message

export const initialize = (id: string | number = 0, version = "2025-11-25", capabilities: object = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: { protocolVersion: version, capabilities, clientInfo: { name: "raw", version: "0" } },
  })

export const call = (prompt: string, id: string | number = 1, meta: object = {}, threadId?: string) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: {
      name: threadId === undefined ? "memory" : "memory-reply",
      arguments: { prompt, ...(threadId === undefined ? {} : { threadId }) },
      _meta: meta,
    },
  })

export const notification = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", method, params })

/**
 * A client with a session of its own.
 *
 * - `post`: a message within the session; the whole reply
 * - `begin`: the same, as soon as the reply begins
 */
export interface SessionClient {
  readonly id: string
  readonly raw: RawClient.RawClient
  readonly headers: Readonly<Record<string, string>>
  readonly post: (body: string) => Effect.Effect<RawClient.Reply>
  readonly begin: (body: string) => Effect.Effect<RawClient.Stream>
  readonly listen: (lastEventId?: string) => Effect.Effect<RawClient.Stream>
}

/** A client that has begun a session over Streamable HTTP. */
export const session = (url: string, token?: string, capabilities: object = {}) =>
  Effect.gen(function* () {
    const raw = yield* RawClient.make(url)
    const own = { ...json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    const reply = yield* raw.send({ headers: own, body: initialize(0, "2025-11-25", capabilities) })
    if (reply.status !== 200) return yield* Effect.die(new Error(`${reply.status} ${reply.text}`))
    const id = String(reply.headers["mcp-session-id"])
    const headers = { ...own, "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" }
    yield* raw.send({ headers, body: notification("notifications/initialized") })
    const client: SessionClient = {
      id,
      raw,
      headers,
      post: (body) => raw.send({ headers, body }),
      begin: (body) => raw.open({ headers, body }),
      listen: (last) => raw.open({ headers: { ...headers, ...(last === undefined ? {} : { "last-event-id": last }) } }),
    }
    return client
  })

/** The answer in a reply. */
export const answerOf = ({ text }: { readonly text: string }): Message | undefined =>
  messages(text).find((message) => message.method === undefined)

export const contentOf = (reply: { readonly text: string }): string | undefined =>
  answerOf(reply)?.result?.structuredContent?.content

export const millis = (given: Readonly<Record<string, number>>): Partial<HttpLimits> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Duration.millis(value)]))
