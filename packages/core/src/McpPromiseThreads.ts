/**
 * `McpThreads` with promises, for a client and for a session.
 */
import type * as Effect from "effect/Effect"
import type { Abortable } from "./Abortable.ts"
import type { McpError } from "./McpError.ts"
import type { McpResult } from "./McpResult.ts"
import type { McpThreads } from "./McpThreads.ts"

/**
 * The operations of `McpThreads` with promises. The last parameter of each is optional and has a `signal` that aborts it.
 */
export type McpPromiseThreads = {
  readonly [Name in keyof McpThreads]: (
    ...args: [...Parameters<McpThreads[Name]>, options?: Abortable]
  ) => Promise<McpResult<Effect.Success<ReturnType<McpThreads[Name]>>>>
}

type Tail<Args> = Args extends readonly [unknown, ...infer Rest] ? Rest : never

/** The operations of `McpThreads` with promises, over the connection of this session. */
export type McpSessionThreads = {
  readonly [Name in keyof McpPromiseThreads]: (
    ...args: [...Tail<Parameters<McpPromiseThreads[Name]>>]
  ) => ReturnType<McpPromiseThreads[Name]>
}

/** How many parameters precede the `signal`. */
const arity = { list: 2, read: 3, fork: 3, rename: 3, archive: 2, unarchive: 2, delete: 2 } as const

/**
 * Makes the operations of a client with promises.
 *
 * @param threads the operations of its adapter
 * @param run runs an operation, until the `signal` of its options aborts
 */
export const make = (
  threads: McpThreads,
  run: (operation: Effect.Effect<unknown, McpError>, options?: Abortable) => Promise<McpResult<unknown>>,
): McpPromiseThreads => {
  const promised = Object.entries(arity).map(([name, count]) => {
    const operation = threads[name as keyof McpThreads] as (
      ...args: ReadonlyArray<unknown>
    ) => Effect.Effect<unknown, McpError>
    const call = (...args: ReadonlyArray<unknown>) =>
      run(operation(...args.slice(0, count)), args[count] as Abortable | undefined)
    return [name, call]
  })
  return Object.fromEntries(promised) as McpPromiseThreads
}

type Operation = (...args: ReadonlyArray<unknown>) => Promise<unknown>

/**
 * Makes the operations of a session from those of its client.
 *
 * @param threads the operations of the client
 * @param one makes an operation of the session from that of the client
 */
export const change = (threads: McpPromiseThreads, one: (operation: Operation) => Operation): McpSessionThreads =>
  Object.fromEntries(
    Object.entries(threads).map(([name, operation]) => [name, one(operation as Operation)]),
  ) as unknown as McpSessionThreads
