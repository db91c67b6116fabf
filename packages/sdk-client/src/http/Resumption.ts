/**
 * Resumes a call whose stream has dropped: from the last event received, at most twice, and after a pause.
 *
 * @see Model Context Protocol 2025-11-25, transports, resumability
 */

/** The resumptions of one call. */
export interface Resumption {
  /** Records the id of an event. */
  readonly id: (id: string) => void
  /** Sets the pause that the server requests, in milliseconds. */
  readonly retry: (millis: number) => void
  /** The headers of the next resumption. */
  readonly headers: () => ReadonlyArray<string>
  /**
   * Schedules an attempt and returns the function that cancels it; `undefined` if no event id was received or the call was
   * resumed twice.
   */
  readonly again: (attempt: () => void) => (() => void) | undefined
}

/** How often one call is resumed. */
const maxResumptions = 2

/** The pause before a resumption, in milliseconds: the minimum, the maximum, and the default. */
export const minPauseMillis = 100
export const maxPauseMillis = 30_000
const usual = 1_000

/** An event's id, if a header can hold it. */
export const sendable = (id: string): string | undefined => (/^[!-~]([ -~]{0,1022}[!-~])?$/.test(id) ? id : undefined)

/** Makes the resumptions of one call. */
export const make = (): Resumption => {
  let lastEventId: string | undefined
  let pause = usual
  let times = 0
  return {
    id: (id) => {
      lastEventId = sendable(id)
    },
    retry: (millis) => {
      pause = Math.min(Math.max(millis, minPauseMillis), maxPauseMillis)
    },
    headers: () => (lastEventId === undefined ? [] : ["last-event-id", lastEventId]),
    again: (attempt) => {
      if (lastEventId === undefined || times === maxResumptions) return undefined
      times++
      const timer = setTimeout(attempt, pause)
      return () => clearTimeout(timer)
    },
  }
}
