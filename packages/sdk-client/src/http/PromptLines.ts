/**
 * The connections for a session's prompts. A server may close an idle connection at the moment the next request is written,
 * and then it is unknown whether the server read it. A prompt must not be sent twice, so it never uses a connection that has
 * been idle.
 *
 * @see docs/internals/promises.md, 3
 */
import type { Dispatcher } from "undici"
import type { Origin, OriginDispatcher } from "./Dispatchers.ts"

/** A connection for one request at a time. */
export interface Line {
  readonly dispatcher: Dispatcher
  /** Releases the line after its request. */
  readonly free: () => void
}

/** The lines of one session. */
export interface PromptLines {
  /** Returns the line for a prompt: a new one, unless the kept line answered the last prompt less than 50 ms ago. */
  readonly take: () => Line
  /** Returns a new line that closes after one request. */
  readonly other: () => Line
  /** Closes the kept line; a line in use closes when it is free. */
  readonly end: () => void
}

/** How long after a response a connection does not count as idle, in milliseconds. */
const warmth = 50

interface Kept extends Line {
  readonly own: OriginDispatcher
  isBusy: boolean
  freed: number
}

/** Starts without a connection. */
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
  /** The kept line stays open between prompts: some servers treat a client without a connection as gone. */
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
