/** An in-memory wire: the test plays the agent's MCP server at its other end. */
import { assert } from "@effect/vitest"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import { Effect, Fiber, Queue } from "effect"
import type { McpWire, WireListener, WireTarget } from "../src/McpWire.ts"

/** A message with every member optional. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** A tool call that the client has sent, and how to answer it. */
export interface HeldCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly id: string | number
  readonly answer: (result: unknown) => void
  readonly refuse: (error: object) => void
  readonly notify: (method: string, params: object) => void
}

/**
 * - `connect`: the option of the adapter
 * - `targets`: the targets of the opened wires
 * - `said`: every message of the client; `sent`: those since the handshake
 * - `say`: sends a message as the server
 * - `next`: the next tool call
 * - `ask`: sends a request to the client and returns its answer
 * - `answers`: the client's answers to requests sent with `say`
 *
 * @param name the server's name in the handshake
 * @param refused the error of opening the wire
 * @param experimental the server's experimental capabilities
 */
export const make = Effect.fnUntraced(function* (name: string, refused?: McpError, experimental?: object) {
  const calls = yield* Queue.unbounded<HeldCall>()
  const targets: Array<WireTarget> = []
  const said: Array<Message> = []
  const sent: Array<Message> = []
  const answers = yield* Queue.unbounded<Message>()
  const waiting = new Map<unknown, (answer: Message) => void>()
  let listener: WireListener | undefined
  let asked = 0
  const say = (message: object) => listener?.message({ jsonrpc: "2.0", ...message } as JsonRpcMessage)

  const receive = (message: Message) => {
    const { id, method, params } = message
    said.push(message)
    if (method === "initialize") {
      const serverInfo = { name, version: "1" }
      const { protocolVersion } = params ?? {}
      const capabilities = { tools: {}, ...(experimental === undefined ? {} : { experimental }) }
      return say({ id, result: { protocolVersion, capabilities, serverInfo } })
    }
    if (method === "notifications/initialized") return
    sent.push(message)
    if (method === undefined) {
      const answered = waiting.get(id)
      return answered === undefined ? void Queue.offerUnsafe(answers, message) : answered(message)
    }
    if (method !== "tools/call" || id === undefined) return
    Queue.offerUnsafe(calls, {
      ...(params as Pick<HeldCall, "name" | "arguments" | "_meta">),
      id,
      answer: (result) => say({ id, result }),
      refuse: (error) => say({ id, error }),
      notify: (method, params) => say({ method, params }),
    })
  }
  const wire: McpWire = {
    listen: (to) => {
      listener = to
    },
    send: (message) => receive(JSON.parse(JSON.stringify(message))),
    diagnostics: () => ({}),
  }
  return {
    connect: (target: WireTarget) =>
      Effect.andThen(
        Effect.sync(() => targets.push(target)),
        refused === undefined ? Effect.succeed(wire) : Effect.fail(refused),
      ),
    targets,
    said,
    sent,
    say,
    answers,
    next: Queue.take(calls),
    ask: (method: string, params: unknown = {}) =>
      Effect.callback<Message>((resume) => {
        const id = asked++
        waiting.set(id, (answer) => resume(Effect.succeed(answer)))
        say({ id, method, params })
      }),
    end: (error: McpError) => listener?.ended(error),
  }
})

/**
 * A session over a wire.
 *
 * - `start`: sends a prompt and returns its tool call
 * - `turn`: runs a complete turn that is answered with this result
 *
 * @param opened answers the tool call of the open, if there is one
 */
export const open = Effect.fnUntraced(function* <Call extends HeldCall>(
  adapter: McpClientAdapter,
  config: McpConnectionConfig,
  next: Effect.Effect<Call>,
  opened: Effect.Effect<unknown> = Effect.void,
) {
  const opening = yield* Effect.forkChild(adapter.openSession(config), { startImmediately: true })
  yield* opened
  const id = yield* Fiber.join(opening)
  const ask = (content: string) => adapter.execute(id, { content })
  const start = Effect.fnUntraced(function* (content: string) {
    const fiber = yield* Effect.forkChild(ask(content), { startImmediately: true })
    return { fiber, call: yield* next }
  })
  const turn = Effect.fnUntraced(function* (content: string, result: unknown) {
    const { call, fiber } = yield* start(content)
    call.answer(result)
    return { call, answer: yield* Fiber.join(fiber) }
  })
  return { id, ask, start, turn }
})

/** The error of an effect that must fail with `not-sent`. */
export const invalidConfig = (effect: Effect.Effect<unknown, McpError>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.strictEqual(inWords(error), "InvalidRequest invalid-config not-sent")
    return error.message
  })

/** The tag, reason and delivery of an error. */
export const inWords = ({ _tag, delivery, reason }: McpError) => `${_tag} ${reason} ${delivery}`
