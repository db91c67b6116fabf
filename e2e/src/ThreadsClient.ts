/**
 * The official SDK's client with the requests of `zain/threads` and `zain/steer`.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as OfficialClient from "./OfficialClient.ts"

/** A client that declares the extensions, or not. */
export const connect = Effect.fnUntraced(function* (transport: Transport, isDeclared = true) {
  const capabilities = isDeclared ? { experimental: { "zain/threads": {}, "zain/steer": {} } } : {}
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "attacker", version: "1" }, { capabilities })
      await client.connect(transport, { timeout: OfficialClient.timeout })
      return client
    }),
    (client) => Effect.promise(() => client.close()),
  )
  /** The result, or the message of the error. */
  const ask = (params: Record<string, unknown>, method = "zain/threads") =>
    Effect.promise(
      (): Promise<unknown> =>
        client
          .request({ method, params } as never, ResultSchema, { timeout: OfficialClient.timeout })
          .catch((error: unknown) => (error instanceof Error ? error.message : String(error))),
    )
  const listed = Effect.map(ask({ action: "list", limit: 100, archived: false }), (page) =>
    typeof page === "string"
      ? page
      : (page as { readonly threads: ReadonlyArray<{ readonly threadId: string }> }).threads.map(
          ({ threadId }) => threadId,
        ),
  )
  /** Starts a thread with the server's tool. */
  const start = (tool: string, args: Record<string, unknown>) =>
    Effect.promise(async () => {
      const { structuredContent } = await client.callTool({ name: tool, arguments: args }, undefined, {
        timeout: OfficialClient.timeout,
      })
      return String((structuredContent as { readonly threadId?: unknown }).threadId)
    })
  const steer = (call: unknown, content: string) => ask({ call, content }, "zain/steer")
  return { ask, listed, start, steer }
})
