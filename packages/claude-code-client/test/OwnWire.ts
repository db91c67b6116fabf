/** A wire of the tests' own: the test is the Claude Code at its other end, hooks included. */
import { execFileSync } from "node:child_process"
import type { McpError } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { McpWire, StdioTarget, WireListener, WireTarget } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

/** A message, as a test looks at it. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number }
}

/** A tool call that the client has sent, and how to go on with it. */
export interface HeldCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly id: string | number
  readonly answer: (result: unknown) => void
  readonly notify: (method: string, params: object) => void
  /** The sign of life that Claude Code gives every 30 seconds. */
  readonly progress: () => void
}

/** What `--settings` holds. */
export interface Settings {
  readonly disableAllHooks: boolean
  readonly hooks: Readonly<
    Record<string, ReadonlyArray<{ readonly hooks: ReadonlyArray<{ readonly command: string }> }>>
  >
}

export const settingsOf = ({ args }: StdioTarget): Settings =>
  JSON.parse(args[args.indexOf("--settings") + 1] ?? "null")

/** Runs a hook as Claude Code does: by the shell, the payload on its input, in Claude Code's own environment. */
export const runHook = (target: StdioTarget, event: string, payload: object) => {
  for (const { hooks } of settingsOf(target).hooks[event] ?? []) {
    for (const { command } of hooks) {
      const input = JSON.stringify({ session_id: "s", hook_event_name: event, ...payload })
      execFileSync("/bin/sh", ["-c", command], { input, env: target.env })
    }
  }
}

/**
 * @param refuse fails in place of the connection
 * @param name what the server calls itself
 */
export const make = (refuse?: McpError, name = "claude/tengu") =>
  Effect.gen(function* () {
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
        const serverInfo = { name, version: "2.1.329" }
        return say({
          id,
          result: { protocolVersion: params?.["protocolVersion"], capabilities: { tools: {} }, serverInfo },
        })
      }
      if (method === "notifications/initialized") return
      sent.push(message)
      if (method === undefined) return waiting.get(id)?.(message)
      if (method !== "tools/call" || id === undefined) return
      const { _meta, ...call } = params as Pick<HeldCall, "name" | "arguments"> & { _meta?: { progressToken: string } }
      Queue.offerUnsafe(calls, {
        ...call,
        id,
        answer: (result) => say({ id, result }),
        notify: (method, params) => say({ method, params }),
        progress: () =>
          say({ method: "notifications/progress", params: { progressToken: _meta?.progressToken, progress: 30 } }),
      })
    }
    const wire: McpWire = {
      listen: (to) => {
        listener = to
      },
      send: (message) => queueMicrotask(() => hear(JSON.parse(JSON.stringify(message)))),
      diagnostics: () => ({}),
    }
    const target = () => targets.at(-1) as StdioTarget
    return {
      connect: (to: WireTarget) =>
        Effect.andThen(
          Effect.sync(() => targets.push(to)),
          refuse === undefined ? Effect.succeed(wire) : Effect.fail(refuse),
        ),
      target,
      directory: () => target().env["ZAIN_HOOKS"] as string,
      /** All that the client has said since the handshake. */
      sent,
      next: Queue.take(calls),
      /** The hooks at the start and the end of an agent's turn. */
      started: (agentId: string) => runHook(target(), "SubagentStart", { agent_id: agentId }),
      stopped: (agentId: string, text: string) =>
        runHook(target(), "SubagentStop", { agent_id: agentId, last_assistant_message: text }),
      ask: (method: string) =>
        Effect.callback<Message>((resume) => {
          const id = asked++
          waiting.set(id, (answer) => resume(Effect.succeed(answer)))
          say({ id, method, params: {} })
        }),
    }
  })

export const text = (content: string) => ({ content: [{ type: "text", text: content }] })

/** What `Agent` answers. */
export const report = (agentId: string, said: ReadonlyArray<string>, more: object = {}) =>
  text(
    JSON.stringify({
      status: "completed",
      agentId,
      harnessNoteCount: 0,
      content: said.map((part) => ({ type: "text", text: part })),
      usage: { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 0, server_tool_use: {} },
      ...more,
    }),
  )

/** What `SendMessage` answers when the turn is over. */
export const resumed = text(
  JSON.stringify({ success: true, message: "Resumed agent. Its final report is not in this message.", pin: {} }),
)

/** What `SendMessage` answers when there was none. */
export const unable = (message: string) => text(JSON.stringify({ success: false, message }))
