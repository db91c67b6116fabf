/**
 * The faults of a fake editor: which there are, and which are set.
 */

/**
 * The faults of every fake. They meet the answers to calls; the greeting of a connection is spared unless `greeting` is set.
 *
 * When the answer comes:
 * - `silence`: never; the next call is answered
 * - `hold`: when `release` is called; calls behind it wait
 * - `late-answer`: directly before the answer to the next call
 * - `reload-in-call`: never: the editor closes everything, and listens again at once
 * - `quit`: never: the editor closes everything, and stays away until `reopen`
 *
 * What the answer is:
 * - `no-json`: a whole frame whose text is no JSON
 * - `deep-json`: a result that is nested 1,000 levels deep
 * - `big-answer`: a result with a text of 8 MiB
 * - `error-id-null`: the error of an editor that could not read the request
 *
 * What is around the answer:
 * - `twenty-list-changed`: 20 messages that answer nothing, before it; where the protocol has it, that the tools changed
 * - `unknown-id`: before it, an answer to a request that was never made
 * - `duplicate-answer`: the answer, twice
 * - `noise`: before its frame, bytes that belong to no frame
 * - `joined-frames`: in one write with a message before it and one after it
 *
 * Which bytes the answer is:
 * - `split-bytes`: one byte a write, the first 4,096
 * - `bad-header`, `negative-length`, `huge-length` (2^31-1), `zero-length`: a header that is wrong so
 * - `long-length`: a length of 1 MiB more than its text
 * - `close-mid-frame`: half of its frame, then the end of its connection
 *
 * Which editor it is:
 * - `other-protocol`: the first bytes of a connection are answered with HTTP, and it closes
 * - `wrong-project`: the editor has another project open
 */
export const commonFaults = [
  "silence",
  "hold",
  "late-answer",
  "reload-in-call",
  "quit",
  "no-json",
  "deep-json",
  "big-answer",
  "error-id-null",
  "twenty-list-changed",
  "unknown-id",
  "duplicate-answer",
  "noise",
  "joined-frames",
  "split-bytes",
  "bad-header",
  "negative-length",
  "huge-length",
  "zero-length",
  "long-length",
  "close-mid-frame",
  "other-protocol",
  "wrong-project",
] as const

export type CommonFault = (typeof commonFaults)[number]

/**
 * How long a fault is set.
 *
 * - `times`: how many requests meet it (default: 1; `Infinity`: from now on)
 */
export interface FaultSpan {
  readonly times?: number
  /** Whether the greeting of a connection meets it too (default: false). */
  readonly greeting?: boolean
}

/** The faults that are set. */
export class Faults {
  private readonly left = new Map<string, Required<FaultSpan>>()

  set(name: string, { times = 1, greeting = false }: FaultSpan = {}) {
    this.left.set(name, { times, greeting })
  }

  clear(name?: string) {
    if (name === undefined) this.left.clear()
    else this.left.delete(name)
  }

  /** Whether a request meets this fault, which is then used up by one. */
  take(name: string, isGreeting = false): boolean {
    const span = this.left.get(name)
    if (span === undefined || (isGreeting && !span.greeting)) return false
    if (span.times <= 1) this.left.delete(name)
    else this.left.set(name, { ...span, times: span.times - 1 })
    return true
  }
}
