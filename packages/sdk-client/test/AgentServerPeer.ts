/** A client connected to an agent server that the test itself plays. */
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpTool } from "@zain/core/McpTool"
import { Effect, Queue, Schema } from "effect"
import * as AgentServerProfile from "../src/AgentServerProfile.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import * as AgentWire from "../testing/AgentWire.ts"

/** A tool call, which can send events of the agent server. */
export interface HeldCall extends AgentWire.HeldCall {
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
  extensions: true,
  native: { server: "test/native", args: ["mcp", "serve"] },
}

export interface Options {
  readonly approvals?: McpApprovalPolicy
  /** The server's name in the handshake. */
  readonly name?: string
  /** The server's experimental capabilities. */
  readonly experimental?: object
  /** The session's own tools. */
  readonly tools?: ReadonlyArray<McpTool>
}

/** A result in the shape of the agent server's results. */
export const answered = (content: string, threadId = "thread-1", rest: object = {}) => ({
  content: [{ type: "text", text: content }],
  structuredContent: { threadId, content },
  ...rest,
})

/**
 * - `ask`: sends a request with this id and returns the client's answer; `question` sends it without waiting
 * - `call`: the next tool call; `refuse` answers one with an error
 */
export const connect = Effect.fnUntraced(function* ({
  approvals,
  experimental,
  name = "zain-test-mcp",
  tools,
}: Options = {}) {
  const peer = yield* AgentWire.make(name, undefined, experimental)
  const adapter = yield* SdkMcpClient.make(AgentServerProfile.make(agent), {
    connect: peer.connect,
    ...(approvals === undefined ? {} : { approvals }),
  })
  const call = Effect.map(peer.next, (held): HeldCall => {
    const { id, notify } = held
    return {
      ...held,
      event: (event, threadId = "thread-1") =>
        notify("zain/event", { _meta: { requestId: id, progressToken: id, threadId }, event }),
    }
  })
  const question = (id: unknown, params: unknown, method = "elicitation/create") => peer.say({ id, method, params })
  const ask = (id: unknown, params: unknown, method?: string) =>
    Effect.suspend(() => {
      question(id, params, method)
      return Queue.take(peer.answers)
    })
  const refuse = ({ refuse }: HeldCall, message: string, data: object) =>
    refuse({ code: -32_602, message, data: { "zain/delivery": "not-sent", ...data } })
  const config = (providerOptions: Readonly<Record<string, unknown>> = {}) => ({
    ...McpConnectionConfig.stdio({ command: "test", providerOptions }),
    ...(tools === undefined ? {} : { tools }),
  })
  const open = (options?: Readonly<Record<string, unknown>>) => adapter.openSession(config(options))
  return { ...peer, adapter, call, question, ask, refuse, config, open }
})

/** `opening`: the call that resumed the thread of an earlier session. */
export const session = Effect.fnUntraced(function* (
  options?: Options,
  providerOptions?: Readonly<Record<string, unknown>>,
) {
  const { config, ...peer } = yield* connect(options)
  let opening: HeldCall | undefined
  const opened = Effect.map(peer.call, (call) => {
    opening = call
    call.answer(answered("", String(call.arguments["threadId"])))
  })
  const isResumed = providerOptions?.["threadId"] !== undefined
  const made = yield* AgentWire.open(peer.adapter, config(providerOptions), peer.call, isResumed ? opened : Effect.void)
  const turn = (content: string, result: unknown = answered("done")) => made.turn(content, result)
  return { ...made, ...peer, turn, opening }
})

/** The parameters of the agent server's approval request. */
export const elicitation = (request: unknown = { kind: "command", message: "May I?", command: "touch x" }) => ({
  mode: "form",
  message: "May I?",
  requestedSchema: { type: "object", properties: {} },
  _meta: { "zain/approval": request },
})

/** The action of the client's answer to an elicitation. */
export const actionOf = ({ result }: { readonly result?: unknown }) => (result as { readonly action?: unknown })?.action
