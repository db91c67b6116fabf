/**
 * Waits for the reset of a rate limit: of the account that an agent uses, and of a server.
 *
 * @see docs/guides/retry.md
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { type InvalidRequest, invalidConfig, type McpError } from "./McpError.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import * as PositiveDuration from "./PositiveDuration.ts"

/** One wait, as `onWait` receives it. */
export interface Wait {
  /** How long it takes, in milliseconds. */
  readonly wait: number
  /** When it ends, in milliseconds since 1970. */
  readonly until: number
  /** Counts the waits of one request from 1. */
  readonly attempt: number
  /** The agent's own name of the limit, as in the cause `RateLimited`; absent where it is not known. */
  readonly window?: string
}

/** How long to wait, and how often; all are optional. An invalid one fails with `InvalidRequest`, `invalid-config`. */
export interface Options {
  /** How often to wait at most; 5 by default. */
  readonly attempts?: number
  /**
   * The longest wait: text such as `"6 hours"`, the default, or a number of milliseconds. There is no wait for a later
   * reset, such as that of a weekly limit.
   */
  readonly maxWait?: Duration.Input
  /** How long to wait where neither agent nor server reports the reset; 1 minute by default. */
  readonly otherwise?: Duration.Input
  /**
   * Runs when a wait begins, to show it. What it throws is ignored.
   *
   * @param wait how long the wait takes, and for which limit
   */
  readonly onWait?: (wait: Wait) => void
}

/** The options of `untilReset`; all are optional. */
export interface UntilResetOptions extends Options {
  /**
   * The prompt that asks the agent to go on, after a turn that had begun; by default that a rate limit has interrupted its
   * work, and has been reset.
   */
  readonly goOn?: string
}

/** The part of a session that `untilReset` uses: `withSession` passes one, and `execute` of a client makes one. */
export interface Session<A = unknown, R = never> {
  /**
   * Runs one turn, as `execute` of `McpClient` does for one session.
   *
   * @param request the prompt, first that of the caller
   */
  readonly execute: (request: McpRequest<A>) => Effect.Effect<McpResponse<A>, McpError, R>
}

const usualGoOn = "A rate limit has interrupted your work, and has been reset. Go on where you stopped."

/** The shortest wait: an agent may report a reset that has just passed. */
const minWait = Duration.seconds(1)

/** A limit that is exceeded. */
interface Exceeded {
  readonly retryAfter?: number | undefined
  readonly window?: string | undefined
  /** Whether no part of the prompt was sent. */
  readonly isUnsent: boolean
}

/** A limit, by what `execute` has failed with. */
const byError = (error: McpError): Exceeded | undefined => {
  if (error.reason !== "rate-limited") return undefined
  const { window } = Object(error.cause) as { readonly window?: unknown }
  return {
    retryAfter: error.diagnostics?.retryAfter,
    window: typeof window === "string" ? window : undefined,
    isUnsent: error.delivery === "not-sent",
  }
}

const byResponse = ({ cause }: McpResponse): Exceeded | undefined =>
  cause?._tag === "RateLimited" ? { ...cause, isUnsent: false } : undefined

/** Begins to wait for the reset of a limit: shows it, and returns how long it takes; `undefined` for no wait. */
type Waiting = (limit: Exceeded, attempt: number) => Effect.Effect<Duration.Duration | undefined>

const read = (options: Options): Effect.Effect<Waiting, InvalidRequest> => {
  const { attempts = 5, maxWait = "6 hours", onWait, otherwise = "1 minute" } = options
  const wrong = (name: string, what: string) => Effect.fail(invalidConfig(`\`${name}\` of a retry must be ${what}.`))
  if (!Number.isSafeInteger(attempts) || attempts < 0) return wrong("attempts", "a whole number from 0 on")
  const max = PositiveDuration.read(maxWait)
  if (Option.isNone(max)) return wrong("maxWait", PositiveDuration.expected)
  const unknown = PositiveDuration.read(otherwise)
  if (Option.isNone(unknown)) return wrong("otherwise", PositiveDuration.expected)
  return Effect.succeed(
    Effect.fnUntraced(function* ({ retryAfter, window }, attempt) {
      const reset = retryAfter === undefined ? unknown.value : Duration.millis(retryAfter)
      if (attempt > attempts || Duration.isGreaterThan(reset, max.value)) return undefined
      const duration = Duration.max(reset, minWait)
      const wait = Duration.toMillis(duration)
      const until = (yield* Clock.currentTimeMillis) + wait
      const shown = { wait, until, attempt, ...(window === undefined ? {} : { window }) }
      yield* Effect.ignoreCause(Effect.sync(() => onWait?.(shown)))
      return duration
    }),
  )
}

/**
 * A schedule for `Effect.retry` that waits for the reset of a limit. It retries an error with reason `rate-limited` whose
 * delivery is `not-sent`, and no other: after delivery `unknown` the agent may do the work twice, so use `untilReset` there.
 *
 * @param options how long to wait, and how often; invalid ones fail with `InvalidRequest`, `invalid-config`
 *
 * @example
 * ```ts
 * import { McpClient, type McpConnectionConfig, McpRetry } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const open = (config: McpConnectionConfig) =>
 *   McpClient.use((client) => client.openSession(config)).pipe(Effect.retry(McpRetry.schedule({ attempts: 3 })))
 * ```
 */
export const schedule = (options: Options = {}): Schedule.Schedule<Duration.Duration, McpError, InvalidRequest> =>
  Schedule.fromStepWithMetadata(
    Effect.map(read(options), (waiting) => ({ attempt, input }: Schedule.InputMetadata<McpError>) => {
      const limit = byError(input)
      return Effect.flatMap(limit?.isUnsent ? waiting(limit, attempt) : Effect.undefined, (wait) =>
        wait === undefined
          ? Cause.done(Duration.zero)
          : Effect.succeed([wait, wait] as [Duration.Duration, Duration.Duration]),
      )
    }),
  )

/**
 * Runs one turn, and where a limit ends it, waits for the reset and continues: with the same prompt if that was proven not
 * sent, else in the same conversation with a prompt that asks the agent to go on, with the request's own `deadline`,
 * `output` and `providerOptions`. The session must be of an agent whose `supports.failureKeepsConversation` is true.
 *
 * The response is that of the last turn. Where there is no wait, because the reset is too late or there were too many, it
 * is the failed turn with the cause `RateLimited`, or the failure is the error with reason `rate-limited`. Fails else as
 * `execute` does, and with `invalid-config` for invalid options.
 *
 * @param session the session, as `withSession` passes it, or `{ execute }`
 * @param request the prompt, as for `execute`; its `deadline` limits each turn, not the waits
 * @param options how long to wait and how often, and the prompt that asks the agent to go on
 *
 * @example
 * ```ts
 * import { type McpConnectionConfig, McpRetry, withSession } from "@zain/core"
 *
 * const migrate = (config: McpConnectionConfig) =>
 *   withSession(config, (session) =>
 *     McpRetry.untilReset(session, { content: "Migrate the tests to vitest." }, {
 *       onWait: ({ until, window }) => console.error(`${window}: waits until ${new Date(until).toISOString()}`),
 *     }),
 *   )
 * ```
 */
export const untilReset = Effect.fnUntraced(function* <A = unknown, R = never>(
  session: Session<A, R>,
  request: McpRequest<A>,
  { goOn = usualGoOn, ...options }: UntilResetOptions = {},
): Effect.fn.Return<McpResponse<A>, McpError, R> {
  const waiting = yield* read(options)
  let next = request
  for (let attempt = 1; ; attempt++) {
    const ended = yield* Effect.result(session.execute(next))
    const limit = Result.isSuccess(ended) ? byResponse(ended.success) : byError(ended.failure)
    const wait = limit === undefined ? undefined : yield* waiting(limit, attempt)
    if (limit === undefined || wait === undefined) return yield* Effect.fromResult(ended)
    yield* Effect.sleep(wait)
    if (!limit.isUnsent) next = goingOn(request, goOn)
  }
})

/** The conversation has the attachments. */
const goingOn = <A>({ attachments: _, ...request }: McpRequest<A>, content: string): McpRequest<A> => ({
  ...request,
  content,
})
