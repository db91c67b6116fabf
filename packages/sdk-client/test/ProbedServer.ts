/** An in-process server, and the report of `McpServerProbe` about it. */
import { assert } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as McpServerProbe from "../src/McpServerProbe.ts"
import type { WireFactory, WireListener } from "../src/McpWire.ts"

export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
/** Answers a request, ignores it, or ends. */
type Script = (method: string, params: Readonly<Record<string, unknown>>) => Answer | "silence" | "end"

export const refused: Answer = { error: { code: -32601, message: "Method not found" } }

export const introduce = (capabilities: object, more: object = {}): Answer => ({
  result: {
    protocolVersion: "2025-11-25",
    capabilities,
    serverInfo: { name: "raw", title: "A server", version: "1.2" },
    ...more,
  },
})

const gone = new ConnectionUnavailable({ reason: "server-exited", message: "It is gone.", delivery: "unknown" })

/**
 * An in-process server.
 *
 * - `heard`: every message it has received
 * - `open`: the number of open wires
 * - `silent`: returns once it has ignored a request
 */
const server = (script: Script, before: ReadonlyArray<object>) => {
  const heard: Array<Readonly<Record<string, unknown>>> = []
  const silent = Deferred.makeUnsafe<void>()
  let open = 0
  const connect: WireFactory = () =>
    Effect.acquireRelease(
      Effect.sync(() => {
        open++
        let listener: WireListener | undefined
        const say = (message: object) => listener?.message({ jsonrpc: "2.0", ...message } as JsonRpcMessage)
        return {
          listen: (to: WireListener) => {
            listener = to
            before.forEach(say)
          },
          diagnostics: () => ({ stderrTail: "words" }),
          send: (message: JsonRpcMessage) => {
            const { id, method, params } = message as {
              id?: unknown
              method?: string
              params?: Record<string, unknown>
            }
            heard.push(message as unknown as Readonly<Record<string, unknown>>)
            if (id === undefined || method === undefined) return
            const answer = script(method, params ?? {})
            if (answer === "silence") Deferred.doneUnsafe(silent, Effect.void)
            else queueMicrotask(() => (answer === "end" ? listener?.ended(gone) : say({ id, ...answer })))
          },
        }
      }),
      () => Effect.sync(() => open--),
    )
  const methods = () => heard.flatMap(({ method }) => (typeof method === "string" ? [method] : []))
  return { connect, heard, methods, open: () => open, silent: Deferred.await(silent) }
}

const config = McpConnectionConfig.streamableHttp({
  url: "http://127.0.0.1:9/mcp?key=in-the-query",
  bearerToken: "token-of-mine",
  connectTimeout: "10 seconds",
})

/**
 * Probes a server; an ignored request takes one step's timeout. The wire must be closed afterwards.
 *
 * @param introduction its answer to initialize
 * @param script answers the lists
 * @param before messages that it sends first
 */
export const probe = Effect.fnUntraced(function* (
  introduction: Answer | "silence",
  script: Script = () => refused,
  {
    before = [],
    secrets = [],
  }: { readonly before?: ReadonlyArray<object>; readonly secrets?: ReadonlyArray<string> } = {},
) {
  const peer = server((method, params) => (method === "initialize" ? introduction : script(method, params)), before)
  const probing = yield* Effect.forkChild(McpServerProbe.probe(config, { connect: peer.connect, secrets }))
  yield* Effect.raceFirst(peer.silent, Fiber.await(probing))
  yield* TestClock.adjust("10 seconds")
  const report = yield* Fiber.join(probing)
  assert.strictEqual(peer.open(), 0)
  return { ...peer, report }
})
