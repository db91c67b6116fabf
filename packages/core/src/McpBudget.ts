/**
 * A limit of turns, tokens, cost or wall time over any number of sessions.
 *
 * @see docs/guides/budgets.md
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { McpClientAdapter } from "./McpClientAdapter.ts"
import {
  ConnectionUnavailable,
  clip,
  InvalidRequest,
  invalidConfig,
  type McpDelivery,
  type McpError,
} from "./McpError.ts"
import type { McpStreamEnd, McpStreamed } from "./McpEvents.ts"
import type { McpUsage } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import * as PositiveDuration from "./PositiveDuration.ts"

/** The limits of a budget; all are optional, and a limit that is left out is none. */
export interface Limits {
  /** How many turns may begin. */
  readonly turns?: number
  /** How many tokens the models may read and write, cached ones included, as the agents count them. */
  readonly tokens?: number
  /**
   * What the turns may cost, in US dollars, as the agents estimate it after each. A client whose `supports.cost` is not
   * true opens no session with this limit: `InvalidRequest`, `not-supported`.
   */
  readonly cost?: number
  /** How long the turns may take from the start of the first on: text such as `"2 hours"`, or a number of milliseconds. */
  readonly time?: Duration.Input
}

/** The name of a limit. */
export type Limit = keyof Limits

/** What has been used of a budget. */
export interface Spent {
  /** The turns that have begun. */
  readonly turns: number
  /** The tokens that models have read and written, those of turns under way as far as they are reported. */
  readonly tokens: number
  /** What the turns that have ended cost, in US dollars; 0 for agents that do not report it. */
  readonly cost: number
}

/** A budget, which any number of clients share. */
export interface McpBudget {
  /**
   * Returns the adapter with its turns within this budget. A turn that begins when a limit is reached fails with
   * `ConnectionUnavailable`, `deadline-exceeded`, delivery `not-sent`. What runs when `time` is reached ends with the same
   * error and delivery `unknown`; what runs when `tokens` or `cost` is reached has one second to end by itself, so that a
   * complete answer is not lost. `message` names the limit.
   *
   * The reason is `deadline-exceeded` as waiting does not help: `McpRetry` does not retry it.
   *
   * @param adapter the Effect that an adapter's `make` returns, such as `CodexMcpClientAdapter.make()`
   */
  readonly limit: <E, R>(adapter: Effect.Effect<McpClientAdapter, E, R>) => Effect.Effect<McpClientAdapter, E, R>
  /** Returns what has been used so far. */
  readonly spent: () => Spent
  /** Returns the limit that has ended or refused a turn; `undefined` if none has. */
  readonly reached: () => Limit | undefined
}

/** How long a turn may go on after `tokens` or `cost` is reached. */
const grace = Duration.seconds(1)

/**
 * Makes a budget. Its time begins with its first turn.
 *
 * @param limits the limits; with an invalid one, or one that is unknown, `openSession` fails with `InvalidRequest`,
 *   `invalid-config`
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpBudget, McpPromiseClient, McpResponse } from "@zain/core"
 *
 * const budget = McpBudget.make({ turns: 20, time: "2 hours" })
 * await using client = await McpPromiseClient.make(budget.limit(InMemoryMcpClient.make()))
 * await using session = await client.session(InMemoryMcpClient.config)
 * console.log(McpResponse.getOrThrow(await session.execute("hello")).content, budget.spent().turns) // hello 1
 * ```
 */
export const make = (limits: Limits): McpBudget => {
  const problem = problemOf(limits)
  const max = problem === undefined && limits.time !== undefined ? Duration.fromInputUnsafe(limits.time) : undefined
  const used = { turns: 0, tokens: 0, cost: 0 }
  const isUsedUp = Deferred.makeUnsafe<Limit>()
  const threads = new Map<McpSessionId, string>()
  let end = Number.POSITIVE_INFINITY
  let reached: Limit | undefined
  /** The agent of a turn that reported no tokens. */
  let uncounted: string | undefined

  const usedUp = (...names: ReadonlyArray<keyof Spent>): Limit | undefined =>
    names.find((name) => used[name] >= (limits[name] ?? Number.POSITIVE_INFINITY))
  const exceeded = (limit: Limit, delivery: McpDelivery, sessionId: McpSessionId) => {
    reached ??= limit
    const threadId = threads.get(sessionId)
    const amount = limit === "time" && max !== undefined ? Duration.format(max) : limits[limit]
    return new ConnectionUnavailable({
      reason: "deadline-exceeded",
      message: `The limit \`${limit}\` of the budget is reached (${amount}). Make a budget with a higher limit, or give the agent a smaller task.`,
      delivery,
      ...(threadId === undefined ? {} : { threadId }),
    })
  }

  /** Begins a turn, and returns the time that is left for it; fails for a turn that must not begin. */
  const begin = Effect.fnUntraced(function* (sessionId: McpSessionId) {
    const now = yield* Clock.currentTimeMillis
    const limit = now >= end ? "time" : usedUp("turns", "tokens", "cost")
    if (limit !== undefined) return yield* Effect.fail(exceeded(limit, "not-sent", sessionId))
    if (uncounted !== undefined) return yield* Effect.fail(withoutTokens(uncounted))
    if (used.turns === 0 && max !== undefined) end = now + Duration.toMillis(max)
    used.turns += 1
    return end - now
  })

  const metered = <A>(
    sessionId: McpSessionId,
    turn: Stream.Stream<McpStreamed<A>, McpError>,
  ): Stream.Stream<McpStreamed<A>, McpError> =>
    Stream.unwrap(
      Effect.map(begin(sessionId), (left) => {
        let mine = 0
        const count = (tokens: number) => {
          used.tokens += tokens - mine
          mine = tokens
        }
        const see = (piece: McpStreamed<A>) => {
          if (piece._tag === "ThreadStarted") threads.set(sessionId, piece.threadId)
          if (piece._tag === "Usage") count(Math.max(mine, tokensOf(piece)))
          if (piece._tag === "Response") {
            const { cost = 0, isError, provider, usage } = piece.response
            used.cost += cost
            if (usage !== undefined) count(tokensOf(usage))
            else if (limits.tokens !== undefined && !isError && mine === 0) uncounted = provider
          }
          const limit = usedUp("tokens", "cost")
          if (limit !== undefined) Deferred.doneUnsafe(isUsedUp, Exit.succeed(limit))
        }
        const over = Effect.tap(Deferred.await(isUsedUp), () => Effect.sleep(grace))
        const late = Number.isFinite(left) ? Effect.as(Effect.sleep(left), "time" as const) : Effect.never
        const ended = Effect.flatMap(Effect.raceFirst(over, late), (limit) =>
          Effect.fail(exceeded(limit, "unknown", sessionId)),
        )
        return turn.pipe(
          Stream.tapError(({ delivery }) => Effect.sync(() => void (delivery === "not-sent" && used.turns--))),
          Stream.tap((piece) => Effect.sync(() => see(piece))),
          Stream.interruptWhen(ended),
        )
      }),
    )

  const within = (adapter: McpClientAdapter): McpClientAdapter => {
    const { openSession, provider, stream, supports } = adapter
    const isWithoutCost = limits.cost !== undefined && supports.cost !== true
    const refusal = problem ?? (isWithoutCost ? withoutCost(provider) : undefined)
    return {
      ...adapter,
      openSession: (config) => (refusal === undefined ? openSession(config) : Effect.fail(refusal)),
      stream: (sessionId, request) => metered(sessionId, stream(sessionId, request)),
      execute: <A>(...[sessionId, request]: Parameters<typeof stream<A>>) =>
        Effect.map(
          Stream.runLast(metered(sessionId, stream(sessionId, request))),
          // A turn that does not fail ends with its response.
          (last) => (Option.getOrThrow(last) as McpStreamEnd<A>).response,
        ),
    }
  }
  return { limit: Effect.map(within), spent: () => ({ ...used }), reached: () => reached }
}

const tokensOf = ({ inputTokens = 0, outputTokens = 0 }: McpUsage): number => inputTokens + outputTokens

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0
const isAmount = (value: unknown) => Number.isFinite(value) && Number(value) > 0

const values: { readonly [Name in Limit]: readonly [is: (value: unknown) => boolean, expected: string] } = {
  turns: [isCount, "a whole number above zero"],
  tokens: [isCount, "a whole number above zero"],
  cost: [isAmount, "a number above zero, in US dollars"],
  time: [(value) => Option.isSome(PositiveDuration.read(value)), PositiveDuration.expected],
}

const problemOf = (limits: Limits): InvalidRequest | undefined => {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(values, name)) {
      return invalidConfig(`A budget has no limit \`${clip(name, 64)}\`; it has ${Object.keys(values).join(", ")}.`)
    }
    const [is, expected] = values[name as Limit]
    if (value !== undefined && !is(value)) return invalidConfig(`\`${name}\` of a budget must be ${expected}.`)
  }
  return undefined
}

const notSupported = (message: string) => new InvalidRequest({ reason: "not-supported", message, delivery: "not-sent" })

const withoutCost = (provider: string) =>
  notSupported(
    `${provider} does not report what a turn costs (\`supports.cost\`), so \`cost\` of a budget cannot limit it. Limit \`tokens\`.`,
  )

const withoutTokens = (provider: string) =>
  notSupported(
    `${provider} has not reported the tokens of a turn, so \`tokens\` of a budget cannot limit it. Limit \`turns\` or \`time\`.`,
  )
