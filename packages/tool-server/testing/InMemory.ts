/**
 * In-process sessions of a server with the official SDK's client.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { soon } from "@zain/testkit/Running"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Effect, Scope } from "effect"

/** The timeout of the SDK's requests, in milliseconds. */
const timeout = 240_000

/**
 * - `within`: the Scope of the server's side, if it closes first
 * - `isSlow`: whether notifications take longer than answers
 */
export interface JoinOptions {
  readonly principal?: string
  readonly within?: Scope.Scope
  readonly isSlow?: boolean
}

/** Opens a session of a server. `transport` is the client's and not started. */
export const join = Effect.fnUntraced(function* (
  server: ToolServer,
  { isSlow = false, principal, within }: JoinOptions = {},
) {
  const [transport, there] = InMemoryTransport.createLinkedPair()
  const send = there.send.bind(there)
  if (isSlow) {
    there.send = async (message) => {
      if (!("id" in message)) await new Promise((resolve) => setImmediate(resolve))
      await send(message)
    }
  }
  const scope = within ?? (yield* Effect.scope)
  return { transport, session: yield* Scope.provide(server.session(there, principal), scope) }
})

/** Connects a client until the test ends. The returned function calls a tool; its interruption cancels the call. */
export const connect = Effect.fnUntraced(function* (sdk: Client, transport: Transport) {
  sdk.onerror = () => {}
  yield* Effect.acquireRelease(
    Effect.promise(() => sdk.connect(transport, { timeout })),
    () => Effect.promise(() => sdk.close()),
  )
  const call = (name: string, args: unknown, meta: Readonly<Record<string, unknown>> = {}) =>
    Effect.tryPromise({
      try: async (signal) => {
        const _meta = Object.keys(meta).length === 0 ? {} : { _meta: meta }
        const params = { name, arguments: args as Record<string, unknown>, ..._meta }
        return (await sdk.callTool(params, undefined, { signal, timeout })) as CallToolResult
      },
      catch: (cause) => cause as Error,
    })
  return call
})

/** Waits until a condition holds, for ten seconds. */
export const until = (isSo: () => boolean): Effect.Effect<void> =>
  soon(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
      Effect.repeat({ until: isSo }),
      Effect.asVoid,
    ),
  )
