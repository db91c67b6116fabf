/** An agent server on a wire of the tests' own, and a client of it: the test is the server. */
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type { AgentProfile } from "../src/AgentProfile.ts"
import * as AgentServerProfile from "../src/AgentServerProfile.ts"
import type { McpWire, WireListener } from "../src/McpWire.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"

/** A message of the client's. */
export interface Said {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

/** A call of a tool, and the ways to go on with it. */
export interface HeldCall {
  readonly id: unknown
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly answer: (result: unknown) => void
  readonly event: (event: unknown, threadId?: string) => void
}

export const agent: AgentServerProfile.AgentBehindServer<
  AgentServerProfile.Resumable & { readonly model?: string; readonly maxTurns?: number }
> = {
  provider: "test-agent",
  options: Schema.Struct({
    model: Schema.optionalKey(Schema.String),
    maxTurns: Schema.optionalKey(Schema.Int),
    threadId: Schema.optionalKey(Schema.String),
  }),
  environment: [],
  server: "zain-test-mcp",
  tool: "test",
  toArguments: ({ maxTurns, model }) => ({ model, "max-turns": maxTurns }),
  native: { server: "test/native", args: ["mcp", "serve"] },
}

export interface Options {
  readonly approvals?: McpApprovalPolicy
  /** What the server calls itself. */
  readonly name?: string
  readonly profile?: AgentProfile<object>
  readonly args?: ReadonlyArray<string>
}

/** What a server answers, in the shape of the agent server's results. */
export const answered = (content: string, threadId = "thread-1", rest: object = {}) => ({
  content: [{ type: "text", text: content }],
  structuredContent: { threadId, content },
  ...rest,
})

/**
 * - `said`: all that the client has said, from the handshake on
 * - `say`: a message of the server's
 * - `ask`: asks the client, and waits for its answer; `question` is the same without waiting
 * - `call`: the call that comes next; `refuse` answers one with an error
 */
export const connect = ({ approvals, args = [], name = "zain-test-mcp", profile }: Options = {}) =>
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<HeldCall>()
    const answers = yield* Queue.unbounded<Said>()
    const said: Array<Said> = []
    let listener: WireListener | undefined
    const say = (message: object) => listener?.message({ jsonrpc: "2.0", ...message } as JsonRpcMessage)
    const hear = (message: Said) => {
      said.push(message)
      const { id, method, params = {} } = message
      if (method === "initialize") {
        const { protocolVersion } = params
        return say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: "1" } } })
      }
      if (method === undefined) return void Queue.offerUnsafe(answers, message)
      if (method !== "tools/call") return
      Queue.offerUnsafe(calls, {
        ...(params as Pick<HeldCall, "name" | "arguments">),
        id,
        answer: (result) => say({ id, result }),
        event: (event, threadId = "thread-1") =>
          say({ method: "zain/event", params: { _meta: { requestId: id, progressToken: id, threadId }, event } }),
      })
    }
    const wire: McpWire = {
      listen: (to) => {
        listener = to
      },
      send: (message) => hear(JSON.parse(JSON.stringify(message))),
      diagnostics: () => ({}),
    }
    const adapter: McpClientAdapter = yield* SdkMcpClient.make(profile ?? AgentServerProfile.make(agent), {
      connect: () => Effect.succeed(wire),
      ...(approvals === undefined ? {} : { approvals }),
    })
    const question = (id: unknown, params: unknown, method = "elicitation/create") => say({ id, method, params })
    const ask = (id: unknown, params: unknown, method?: string) =>
      Effect.suspend(() => {
        question(id, params, method)
        return Queue.take(answers)
      })
    const refuse = ({ id }: HeldCall, message: string, data: object) =>
      say({ id, error: { code: -32_602, message, data: { "zain/delivery": "not-sent", ...data } } })
    const end = (error: McpError) => listener?.ended(error)
    const open = (options: Readonly<Record<string, unknown>> = {}) =>
      adapter.openSession(McpConnectionConfig.stdio({ command: "test", args, providerOptions: options }))
    return { adapter, said, say, ask, question, answers, call: Queue.take(calls), refuse, end, open }
  })

/** `opening`: the call that opened the thread of an earlier session. `start`: asks, and hands over the call that it became. */
export const session = (options?: Options, providerOptions?: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const peer = yield* connect(options)
    const opened = yield* Effect.forkChild(peer.open(providerOptions), { startImmediately: true })
    const opening = providerOptions?.["threadId"] === undefined ? undefined : yield* peer.call
    opening?.answer(answered("", String(opening.arguments["threadId"])))
    const id = yield* Fiber.join(opened)
    const start = (content: string) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(peer.adapter.execute(id, { content }), { startImmediately: true })
        return { fiber, call: yield* peer.call }
      })
    const turn = (content: string, result: unknown = answered("done")) =>
      Effect.gen(function* () {
        const { call, fiber } = yield* start(content)
        call.answer(result)
        return { call, answer: yield* Fiber.join(fiber) }
      })
    return { ...peer, id, opening, start, turn }
  })

/** What the agent server asks with. */
export const elicitation = (request: unknown = { kind: "command", message: "May I?", command: "touch x" }) => ({
  mode: "form",
  message: "May I?",
  requestedSchema: { type: "object", properties: {} },
  _meta: { "zain/approval": request },
})
