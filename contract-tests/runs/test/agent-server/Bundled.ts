/** The clients of the bundle `@zain/agents`, with promises, as adapters that the contract suite takes. */
import { type McpError as BundledError, type McpResult as BundledResult, claudeCode, codex } from "@zain/agents"
import { McpApproval, type McpClientAdapter, type McpConnectionConfig, type Secret } from "@zain/core"
import type { McpError } from "@zain/core/McpError"
import { Effect, Redacted, type Scope, Stream } from "effect"

const doors = { codex, "claude-code": claudeCode }

/** The adapter of a provider. Its errors are of the bundle's classes, which the suite knows by `_tag`. */
export const make = (provider: keyof typeof doors): Effect.Effect<McpClientAdapter, never, Scope.Scope> =>
  Effect.gen(function* () {
    const policy = yield* McpApproval.McpApproval
    const { options } = policy as { readonly options?: McpApproval.Options }
    // The policy of a client with promises remembers uses itself, and the suite's wants to see each.
    const ask: McpApproval.Options["ask"] = (request, { signal, ...asker }) =>
      Effect.runPromise(
        Effect.map(policy(request, asker), (decision) =>
          decision._tag === "ApproveForSession" ? McpApproval.approve : decision,
        ),
        { signal },
      )
    const { closeSession, events, execute, openSession, steer, stream, supports, threads } =
      yield* Effect.acquireRelease(
        Effect.promise(() => doors[provider].make({ approvals: { ask, ...options } as never })),
        (client) => Effect.promise(client.close),
      )
    return {
      provider,
      supports,
      openSession: (config) => settled((signal) => openSession(plain(config) as never, { signal })),
      execute: (sessionId, request) => settled((signal) => execute(sessionId as never, request as never, { signal })),
      closeSession: (sessionId) => settled(() => closeSession(sessionId as never)),
      steer: (sessionId, content) => settled((signal) => steer(sessionId as never, content, { signal })),
      threads: settledOf(threads),
      events: (sessionId) => Stream.fromAsyncIterable(events(sessionId as never), asError),
      stream: (sessionId, request) =>
        Stream.suspend(() => Stream.fromAsyncIterable(stream(sessionId as never, request as never), asError)),
    } as McpClientAdapter
  })

/** A configuration without `Redacted`, whose values the bundle's copy of Effect does not know. */
const plain = ({ env, headers, ...config }: McpConnectionConfig) => ({
  ...config,
  ...(env === undefined ? {} : { env: values(env) }),
  ...(headers === undefined ? {} : { headers: values(headers) }),
})
const values = (secrets: Readonly<Record<string, Secret>>) =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, one]) => [name, Redacted.isRedacted(one) ? Redacted.value(one) : one]),
  )

const settledOf = (operations: object): unknown =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (...args: ReadonlyArray<unknown>) => settled(() => (operation as Operation)(...args)),
    ]),
  )

type Operation = (...args: ReadonlyArray<unknown>) => Promise<BundledResult<unknown>>

const asError = (error: unknown) => error as McpError

const settled = <A>(work: (signal: AbortSignal) => Promise<BundledResult<A>>): Effect.Effect<A, McpError> =>
  Effect.flatMap(Effect.promise(work), (result) =>
    result._tag === "Success"
      ? Effect.succeed(result.success)
      : Effect.fail(asError(result.failure satisfies BundledError)),
  )
