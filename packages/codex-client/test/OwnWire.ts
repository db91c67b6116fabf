/** A wire of the tests' own: the test is the Codex at its other end. */
import type { McpError } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { McpWire, WireFactory, WireListener, WireTarget } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

/** A message, as a test looks at it. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** A tool call that the client has sent, and how to go on with it. */
export interface HeldCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly id: string | number
  readonly answer: (result: unknown) => void
  readonly refuse: (error: object) => void
  /** Says a `codex/event` of this call, and of one of its turns. */
  readonly event: (msg: unknown, turn?: string) => void
}

/**
 * - `connect`: the option of the adapter
 * - `targets`: what was to be started
 * - `sent`: all that the client has said since the handshake
 * - `next`: the tool call that comes next
 * - `ask`: asks the client for something, and waits for its answer
 */
export interface OwnWire {
  readonly connect: WireFactory
  readonly targets: ReadonlyArray<WireTarget>
  readonly sent: ReadonlyArray<Message>
  readonly next: Effect.Effect<HeldCall>
  readonly ask: (method: string, params: unknown) => Effect.Effect<Message>
  readonly end: (error: McpError) => void
}

/** A wire to a server that calls itself this. */
export const named = Effect.fnUntraced(function* (name: string) {
  const calls = yield* Queue.unbounded<HeldCall>()
  const targets: Array<WireTarget> = []
  const sent: Array<Message> = []
  const waiting = new Map<unknown, (answer: Message) => void>()
  let listener: WireListener | undefined
  let asked = 0
  const say = (message: object) => listener?.message({ jsonrpc: "2.0", ...message } as JsonRpcMessage)

  const hear = (message: Message) => {
    const { id, method, params } = message
    if (method === "initialize") {
      const serverInfo = { name, version: "0.153.4" }
      return say({
        id,
        result: { protocolVersion: params?.["protocolVersion"], capabilities: { tools: {} }, serverInfo },
      })
    }
    if (method === "notifications/initialized") return
    sent.push(message)
    if (method === undefined) return waiting.get(id)?.(message)
    if (method !== "tools/call" || id === undefined) return
    Queue.offerUnsafe(calls, {
      ...(params as Pick<HeldCall, "name" | "arguments">),
      id,
      answer: (result) => say({ id, result }),
      refuse: (error) => say({ id, error }),
      event: (msg, turn = "turn") =>
        say({ method: "codex/event", params: { _meta: { requestId: id, threadId: "thread-1" }, id: turn, msg } }),
    })
  }
  const wire: McpWire = {
    listen: (to) => {
      listener = to
    },
    send: (message) => queueMicrotask(() => hear(JSON.parse(JSON.stringify(message)))),
    diagnostics: () => ({}),
  }
  const own: OwnWire = {
    connect: (target) =>
      Effect.as(
        Effect.sync(() => targets.push(target)),
        wire,
      ),
    targets,
    sent,
    next: Queue.take(calls),
    ask: (method, params) =>
      Effect.callback((resume) => {
        const id = asked++
        waiting.set(id, (answer) => resume(Effect.succeed(answer)))
        say({ id, method, params })
      }),
    end: (error) => listener?.ended(error),
  }
  return own
})

/** A wire to Codex's own MCP server. */
export const make = Effect.suspend(() => named("codex-mcp-server"))

/** What Codex answers. */
export const answered = (content: string, threadId = "thread-1") => ({
  structuredContent: { threadId, content },
  content: [{ type: "text", text: content }],
})
