/**
 * The calls of one editor: waiting ones, in order, and sent ones.
 */
import type { Arguments } from "../../domain/Catalogue.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import type { CallLog } from "../../domain/models/Requests.ts"

/**
 * A call.
 *
 * - `checksAt`: when the editor's health is asked for next, in milliseconds; `isChecked`: whether it was
 */
export interface QueuedCall {
  readonly method: string
  readonly params: Arguments
  /** The limit of the call after it was sent. */
  readonly timeoutMs: number
  /** Whether it may be sent once more if its outcome was lost. */
  isRepeatable: boolean
  /** Whether the editor may have begun with it. */
  wasSent: boolean
  /** Its deadline, in ms; infinite before it is sent. */
  endsAt: number
  checksAt: number
  isChecked: boolean
  /** Ends it. Called once. */
  readonly settle: (outcome: Outcome) => void
  /** Receives its steps. */
  readonly log: CallLog
}

export type Outcome =
  | { readonly _tag: "Answered"; readonly answer: unknown }
  | { readonly _tag: "Failed"; readonly error: DomainError }

/**
 * - `takeAllSent`, `takeAllWaiting`: all of them, the oldest first; none is left
 */
export interface CallQueue {
  /** Adds a waiting call; returns false if there are `max` calls already. */
  readonly add: (call: QueuedCall) => boolean
  /** Puts calls back before all others. */
  readonly putBack: (calls: ReadonlyArray<QueuedCall>) => void
  /** Whether any call waits. */
  readonly isWaiting: () => boolean
  /** The call that is sent next. */
  readonly next: () => QueuedCall | undefined
  /** A call has been sent by this id. */
  readonly sent: (id: string, call: QueuedCall) => void
  /** The call that was sent by an id, or the oldest that was sent; it is under way no more. */
  readonly take: (id: string | undefined) => QueuedCall | undefined
  /** The id of a call under way that stands in a text. */
  readonly idIn: (text: string) => string | undefined
  /** A call neither waits nor is under way any more; gives the id by which it was under way. */
  readonly remove: (call: QueuedCall) => string | undefined
  /** An answer to this id belongs to a call that was removed. */
  readonly expect: (id: string, log: CallLog) => void
  /** The log of the removed call that an answer to this id belongs to: one of the last 64. */
  readonly late: (id: string | undefined) => CallLog | undefined
  /** The calls under way. */
  readonly allSent: () => ReadonlyArray<QueuedCall>
  readonly takeAllSent: () => ReadonlyArray<QueuedCall>
  readonly takeAllWaiting: () => ReadonlyArray<QueuedCall>
}

/** How many removed calls are remembered, for their late answers. */
const maxLateCalls = 64

/**
 * @param inFlight how many calls the editor is sent at once
 * @param max how many there may be, waiting and under way
 */
export const make = (inFlight: number, max: number): CallQueue => {
  let waiting: Array<QueuedCall> = []
  /** Where the oldest of `waiting` stands: taking it away one by one would move all others. */
  let first = 0
  const underWay = new Map<string, QueuedCall>()
  const removed = new Map<string, CallLog>()
  const expect = (id: string, log: CallLog) => {
    removed.set(id, log)
    const [oldest = id] = removed.keys()
    if (removed.size > maxLateCalls) removed.delete(oldest)
  }

  return {
    add: (call) => {
      if (waiting.length - first + underWay.size >= max) return false
      waiting.push(call)
      return true
    },
    putBack: (calls) => {
      waiting = [...calls, ...waiting.slice(first)]
      first = 0
    },
    isWaiting: () => waiting.length > first,
    next: () => {
      if (underWay.size >= inFlight) return undefined
      const call = waiting[first]
      if (call === undefined) return undefined
      first++
      if (first === waiting.length) {
        waiting = []
        first = 0
      }
      return call
    },
    sent: (id, call) => {
      call.wasSent = true
      underWay.set(id, call)
    },
    take: (id) => {
      const taken = id ?? underWay.keys().next().value
      if (taken === undefined) return undefined
      const call = underWay.get(taken)
      underWay.delete(taken)
      return call
    },
    idIn: (text) => [...underWay.keys()].find((id) => text.includes(JSON.stringify(id))),
    remove: (call) => {
      for (const [id, one] of underWay) {
        if (one !== call) continue
        underWay.delete(id)
        expect(id, call.log)
        return id
      }
      const at = waiting.indexOf(call, first)
      if (at >= 0) waiting.splice(at, 1)
      return undefined
    },
    expect,
    late: (id) => (id === undefined ? undefined : removed.get(id)),
    allSent: () => [...underWay.values()],
    takeAllSent: () => {
      const calls = [...underWay.values()]
      underWay.clear()
      return calls
    },
    takeAllWaiting: () => {
      const calls = waiting.slice(first)
      waiting = []
      first = 0
      return calls
    },
  }
}
