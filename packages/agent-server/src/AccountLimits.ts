/**
 * What an agent reports of its model's provider: the limits of the account, and which model answers.
 */
import type { McpEventContent } from "@zain/core/McpEvents"

type Events = ReadonlyArray<McpEventContent>

/** A limit of the account, as an agent reports it. */
export interface AccountLimit {
  /** The agent's own name of the limit. */
  readonly window?: string | undefined
  /** How much of it is used, in percent. */
  readonly used?: unknown
  /** When it is reset, in seconds since 1970. */
  readonly resetsAt?: unknown
}

/** The limits that one turn has reported. */
export interface AccountLimits {
  /** The events of the limits that have changed, at most 10. */
  readonly changed: (limits: ReadonlyArray<AccountLimit>) => Events
  /** The used-up limit that is reset last, of those that were reported last; `undefined` if none is used up. */
  readonly usedUp: () => AccountLimit | undefined
}

/** Most limits of one message. */
const mostLimits = 10

/** Starts without limits. */
export const make = (): AccountLimits => {
  const known = new Map<string | undefined, string>()
  let last: ReadonlyArray<AccountLimit> = []
  return {
    changed: (limits) => {
      last = limits.slice(0, mostLimits)
      return last.flatMap((limit): Events => {
        const { used, window } = limit
        if (typeof used !== "number" || window === undefined) return []
        const resetsAt = resetOf(limit)
        const event = { _tag: "RateLimit", window, used, ...(resetsAt === undefined ? {} : { resetsAt }) } as const
        const said = JSON.stringify(event)
        if (known.get(window) === said) return []
        known.set(window, said)
        return [event]
      })
    },
    usedUp: () =>
      last
        .filter(({ used }) => typeof used === "number" && used >= 100)
        .reduce<AccountLimit | undefined>(
          (latest, one) => (latest !== undefined && (resetOf(latest) ?? 0) >= (resetOf(one) ?? 0) ? latest : one),
          undefined,
        ),
  }
}

/** When a limit is reset, in milliseconds since 1970. */
const resetOf = ({ resetsAt }: AccountLimit): number | undefined =>
  typeof resetsAt === "number" ? resetsAt * 1000 : undefined

/**
 * The cause of a turn that a limit has ended.
 *
 * @param limit what is known of it
 * @param now milliseconds since 1970
 */
export const causeOf = (limit: AccountLimit, now: number) => {
  const reset = resetOf(limit)
  return {
    _tag: "RateLimited",
    ...(reset === undefined ? {} : { retryAfter: Math.max(0, reset - now) }),
    ...(limit.window === undefined ? {} : { window: limit.window }),
  }
}

/**
 * The event that another model answers; none without its name.
 *
 * @param why in the agent's own words
 */
export const modelChanged = (from: string | undefined, to: string | undefined, why: string): Events =>
  to === undefined ? [] : [{ _tag: "ModelChanged", ...(from === undefined ? {} : { from }), to, why }]
