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

/** The limits that one turn has reported, at most 10. */
export interface AccountLimits {
  /** The events of the limits that have changed. */
  readonly changed: (limits: ReadonlyArray<AccountLimit>) => Events
  /** The used-up limit that is reset last; `undefined` if none is used up. */
  readonly usedUp: () => AccountLimit | undefined
}

/** Most limits of a turn. */
const maxLimits = 10

/** Starts without limits. */
export const make = (): AccountLimits => {
  const known = new Map<string, { readonly limit: AccountLimit; readonly said: string }>()
  return {
    changed: (limits) =>
      limits.flatMap((limit): Events => {
        const { used, window } = limit
        // A message without a limit says nothing of it.
        if (typeof used !== "number" || window === undefined) return []
        if (known.size >= maxLimits && !known.has(window)) return []
        const resetsAt = resetOf(limit)
        const event = { _tag: "RateLimit", window, used, ...(resetsAt === undefined ? {} : { resetsAt }) } as const
        const said = JSON.stringify(event)
        if (known.get(window)?.said === said) return []
        known.set(window, { limit, said })
        return [event]
      }),
    usedUp: () =>
      [...known.values()]
        .map(({ limit }) => limit)
        .filter(({ used }) => Number(used) >= 100)
        .sort((one, other) => (resetOf(one) ?? 0) - (resetOf(other) ?? 0))
        .at(-1),
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
