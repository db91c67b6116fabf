/**
 * The connections that a session's prompts go over. A server may end an idle connection in the very moment in which the
 * next request is written, and nothing then says whether it was read; so a prompt, which must not be sent twice, goes over
 * no connection that has been idle.
 *
 * @see promise 3
 */
import type { Dispatcher } from "undici"
import type { Origin, OriginDispatcher } from "./Dispatchers.ts"

/** A connection, for one request at a time. `free`: the request is over. */
export interface Line {
  readonly dispatcher: Dispatcher
  readonly free: () => void
}

/**
 * - `take`: the line for a prompt: a new one, unless the last prompt has just been answered over the one there is
 * - `other`: a new line that is gone after one request
 * - `end`: ends the line that is kept. One that is in use ends when it is free
 */
export interface PromptLines {
  readonly take: () => Line
  readonly other: () => Line
  readonly end: () => void
}

/** For how long a connection that carried a response is not idle yet, in milliseconds. */
const warmth = 50

interface Kept extends Line {
  readonly own: OriginDispatcher
  isBusy: boolean
  freed: number
}

/** No connection yet. */
export const make = ({ alone, keeps }: Pick<Origin, "alone" | "keeps">): PromptLines => {
  let kept: Kept | undefined
  const letGo = ({ own }: Kept) => void own.destroy()
  const open = (): Kept => {
    const own = alone()
    const line: Kept = {
      own,
      dispatcher: own.dispatcher,
      isBusy: true,
      freed: 0,
      free: () => {
        line.isBusy = false
        line.freed = performance.now()
        if (line !== kept) letGo(line)
      },
    }
    return line
  }
  /** It stays between two prompts, unused: to some servers a client without a connection is gone. */
  const end = () => {
    const line = kept
    kept = undefined
    if (line?.isBusy === false) letGo(line)
  }
  return {
    take: () => {
      if (kept?.isBusy === false && keeps() && performance.now() - kept.freed < warmth) {
        kept.isBusy = true
        return kept
      }
      end()
      kept = open()
      return kept
    },
    other: open,
    end,
  }
}
