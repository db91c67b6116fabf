/** A client that sends raw messages, and keeps every message of the server. */

import type { FakeDialect } from "@zain/contract-tests/FakeDialect"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { McpWire } from "@zain/sdk-client/McpWire"
import { Duration, Effect } from "effect"

type Loose = Readonly<Record<string, unknown>>

/** The members of a message that tests read. */
export interface Seen {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Loose
  readonly result?: Loose
  readonly error?: { readonly code: number; readonly message: string }
}

/**
 * - `seen`: every message of the server, in order
 * - `request`: sends a request; resolves with its response
 * - `call`: `request` for a tool
 * - `settle`: resolves when the server waits for further messages
 */
export interface RawClient {
  readonly seen: ReadonlyArray<Seen>
  readonly send: (message: Loose) => void
  readonly request: (id: number, method: string, params?: Loose) => Promise<Seen>
  readonly call: (id: number, name: string, args: Loose, meta?: Loose) => Promise<Seen>
  readonly settle: () => Promise<void>
}

const make = (wire: McpWire): RawClient => {
  const seen: Array<Seen> = []
  const waiting = new Map<unknown, (message: Seen) => void>()
  wire.listen({
    message: (message) => {
      const one = message as unknown as Seen
      seen.push(one)
      if (one.method === undefined) waiting.get(one.id)?.(one)
    },
    failed: () => {},
    ended: () => {},
  })
  const send = (message: Loose) => wire.send({ jsonrpc: "2.0", ...message } as unknown as JsonRpcMessage)
  let pings = 1_000
  const request: RawClient["request"] = (id, method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  return {
    seen,
    send,
    request,
    call: (id, name, args, meta) =>
      request(id, "tools/call", { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }),
    settle: async () => {
      for (let round = 0; round < 10; round++) await request(++pings, "ping")
    },
  }
}

/** Runs with a fake in this process, with its own arguments and environment. */
export const withFake = <A>(
  dialect: FakeDialect,
  use: (client: RawClient, fake: FakePeer.InMemory) => Promise<A>,
  {
    args = [],
    env = {},
  }: { readonly args?: ReadonlyArray<string>; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<A> => {
  const fake = FakePeer.inMemory(dialect)
  const limits = { closeGrace: Duration.seconds(1), maxMessageBytes: 1_000_000, secrets: [] }
  return Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(fake.connect({ transport: "stdio", command: "fake", args, env, ...limits }), (wire) =>
        Effect.promise(() => use(make(wire), fake)),
      ),
    ),
  )
}
