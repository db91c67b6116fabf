/**
 * How a call goes on when its stream has dropped: from the last event that arrived, a few times, and never at once.
 *
 * @see Model Context Protocol 2025-11-25, transports, resumability
 */

/**
 * - `id`, `retry`: what the server says about it
 * - `headers`: what a resumption carries
 * - `again`: runs the attempt when it may, and gives what calls it off; `undefined` when there is nothing to go on from,
 *   or when it was tried often enough
 */
export interface Resumption {
  readonly id: (id: string) => void
  readonly retry: (millis: number) => void
  readonly headers: () => ReadonlyArray<string>
  readonly again: (attempt: () => void) => (() => void) | undefined
}

/** How often one call is resumed. */
const most = 2

/** How long a server is left alone before, in milliseconds: at least, at most, and when it does not say. */
export const shortest = 100
export const longest = 30_000
const usual = 1_000

/** An event's id, if a header can hold it. */
export const sendable = (id: string): string | undefined => (/^[!-~]([ -~]{0,1022}[!-~])?$/.test(id) ? id : undefined)

/** Of one call. */
export const make = (): Resumption => {
  let lastEventId: string | undefined
  let pause = usual
  let times = 0
  return {
    id: (id) => {
      lastEventId = sendable(id)
    },
    retry: (millis) => {
      pause = Math.min(Math.max(millis, shortest), longest)
    },
    headers: () => (lastEventId === undefined ? [] : ["last-event-id", lastEventId]),
    again: (attempt) => {
      if (lastEventId === undefined || times === most) return undefined
      times++
      const timer = setTimeout(attempt, pause)
      return () => clearTimeout(timer)
    },
  }
}
