/**
 * Clients of a LoopSmith server in the same process: the official SDK's, and one that sends hand-written messages.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { CallToolResult, JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Effect, Fiber } from "effect"
import * as InMemory from "../../../tool-server/testing/InMemory.ts"
import type { LoopSmithError } from "../../src/LoopSmithError.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"
import { evaluatorBy } from "../AgentJudge.ts"
import * as Judge from "./Judge.ts"

/** A message of the server: a response or a notification. */
export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: CallToolResult & Readonly<Record<string, unknown>>
  readonly error?: {
    readonly code: number
    readonly message: string
    readonly data?: Readonly<Record<string, unknown>>
  }
}

const listen = (transport: Transport, heard: Array<Message>) => {
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    heard.push(message as Message)
    onmessage?.(message, extra)
  }
}

const wordsOf = (heard: ReadonlyArray<Message>) => () =>
  heard.filter(({ method }) => method === "notifications/progress").map(({ params }) => params?.["message"])

/**
 * The SDK's client. It has listed the tools, so that it checks every result against its output schema. `heard` has every
 * message of the server, in order; `progress` the messages of its progress notifications.
 *
 * @param isSlow whether notifications take longer than answers to leave the server
 */
export const sdk = Effect.fnUntraced(function* (server: ToolServer, isSlow = false) {
  const { session, transport } = yield* InMemory.join(server, { isSlow })
  const client = new Client({ name: "test", version: "0" })
  const call = yield* InMemory.connect(client, transport)
  yield* Effect.promise(() => client.listTools())
  const heard: Array<Message> = []
  listen(transport, heard)
  return { sdk: client, call, heard, progress: wordsOf(heard), session }
})

export type SdkClient = Effect.Success<ReturnType<typeof sdk>>

/** A client before `initialize`. `ask` waits for the response with its id. */
const raw = Effect.fnUntraced(function* (server: ToolServer) {
  const { session, transport: here } = yield* InMemory.join(server)
  const heard: Array<Message> = []
  listen(here, heard)
  yield* Effect.promise(() => here.start())
  const send = (message: object) => void here.send({ jsonrpc: "2.0", ...message } as JSONRPCMessage)
  const answerOf = (id: string | number) => heard.find((message) => message.method === undefined && message.id === id)
  const ask = (method: string, params: object, id: string | number) =>
    Effect.suspend(() => {
      send({ id, method, params })
      return Effect.map(
        InMemory.until(() => answerOf(id) !== undefined),
        () => answerOf(id) as Message,
      )
    })
  return { send, ask, answerOf, heard, progress: wordsOf(heard), session }
})

const handshake = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "by hand", version: "0" },
}

/** The same client after the handshake, whose request has the id "hello". */
export const ready = Effect.fnUntraced(function* (server: ToolServer) {
  const client = yield* raw(server)
  yield* client.ask("initialize", handshake, "hello")
  client.send({ method: "notifications/initialized" })
  return client
})

export type RawClient = Effect.Success<ReturnType<typeof ready>>

/** A server whose judge the test controls. */
export const byHand = (options: Partial<LoopSmithServer.Options> = {}) => {
  const judge = Judge.make()
  return { judge, server: LoopSmithServer.make({ evaluator: judge.evaluator, version: "1.2.3", ...options }) }
}

/** A server whose judge is an agent that gives these answers in order, and the number of answers given. */
export const byAgent = Effect.fnUntraced(function* (...answers: ReadonlyArray<string>) {
  let asked = 0
  const evaluator = yield* evaluatorBy(() => Effect.sync(() => answers[asked++] ?? "none"))
  return { server: LoopSmithServer.make({ evaluator, version: "0" }), asked: () => asked }
})

/** A judge's answer with a score. */
export const scoring = (score: number): string => JSON.stringify(Judge.response({} as never, score))

/** A call, and the judge's reply to it: a score or an error. */
export const judged = Effect.fnUntraced(function* (
  client: SdkClient,
  judge: Judge.Judge,
  said: number | LoopSmithError,
  {
    args = {},
    tool = "evaluate_document",
    ...options
  }: { readonly args?: object; readonly tool?: string; readonly progressToken?: number } = {},
) {
  const before = judge.asked.length
  const call = yield* Effect.forkChild(client.call(tool, { content: "# T", ...args }, options))
  yield* InMemory.until(() => judge.asked.length > before)
  const waiting = judge.asked[before]
  if (typeof said === "number") waiting?.give(said)
  else waiting?.fail(said)
  return yield* Fiber.join(call)
})

/** The text of a result, read as JSON. */
export const read = ({ content }: CallToolResult): unknown => {
  const [block] = content
  return JSON.parse(block?.type === "text" ? block.text : "")
}
