/**
 * The calls of one editor: those that wait, in order, and those that it has been sent.
 */
import type { Arguments } from "../../domain/Catalogue.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import type { CallLog } from "../../domain/models/Requests.ts"

/**
 * A call.
 *
 * - `timeoutMs`: how long it may take from when it is sent
 * - `isRepeatable`: whether it may be sent again, once, when its outcome was lost
 * - `wasSent`: whether the editor may have begun with it
 * - `endsAt`: until when it may take, in milliseconds; infinite before it is sent
 * - `checksAt`: when the editor's health is asked for next, in milliseconds; `isChecked`: whether it was
 * - `settle`: ends it. Called once
 * - `log`: receives what becomes of it
 */
export interface QueuedCall {
  readonly method: string
  readonly params: Arguments
  readonly timeoutMs: number
  isRepeatable: boolean
  wasSent: boolean
  endsAt: number
  checksAt: number
  isChecked: boolean
  readonly settle: (outcome: Outcome) => void
  readonly log: CallLog
}

export type Outcome =
  | { readonly _tag: "Answered"; readonly answer: unknown }
  | { readonly _tag: "Failed"; readonly error: DomainError }

/**
 * - `add`: a call waits, unless there are `most` calls already; says whether it does
 * - `putBack`: calls wait again, before all others
 * - `isWaiting`: whether any call waits
 * - `next`: the call that is sent next
 * - `sent`: a call has been sent by this id
 * - `take`: the call that was sent by an id, or the oldest that was sent; it is under way no more
 * - `idIn`: the id of a call under way that stands in a text
 * - `remove`: a call neither waits nor is under way any more; gives the id by which it was under way
 * - `expect`: an answer to this id belongs to a call that was removed
 * - `late`: the log of the removed call that an answer to this id belongs to: one of the last 64
 * - `allSent`: the calls under way
 * - `takeAllSent`, `takeAllWaiting`: all of them, the oldest first; none is left
 */
export interface CallQueue {
  readonly add: (call: QueuedCall) => boolean
  readonly putBack: (calls: ReadonlyArray<QueuedCall>) => void
  readonly isWaiting: () => boolean
  readonly next: () => QueuedCall | undefined
  readonly sent: (id: string, call: QueuedCall) => void
  readonly take: (id: string | undefined) => QueuedCall | undefined
  readonly idIn: (text: string) => string | undefined
  readonly remove: (call: QueuedCall) => string | undefined
  readonly expect: (id: string, log: CallLog) => void
  readonly late: (id: string | undefined) => CallLog | undefined
  readonly allSent: () => ReadonlyArray<QueuedCall>
  readonly takeAllSent: () => ReadonlyArray<QueuedCall>
  readonly takeAllWaiting: () => ReadonlyArray<QueuedCall>
}

/** How many removed calls are remembered, for their late answers. */
const mostLate = 64

/**
 * @param inFlight how many calls the editor is sent at once
 * @param most how many there may be, waiting and under way
 */
export const make = (inFlight: number, most: number): CallQueue => {
  let waiting: Array<QueuedCall> = []
  /** Where the oldest of `waiting` stands: taking it away one by one would move all others. */
  let first = 0
  const underWay = new Map<string, QueuedCall>()
  const removed = new Map<string, CallLog>()
  const expect = (id: string, log: CallLog) => {
    removed.set(id, log)
    const [oldest = id] = removed.keys()
    if (removed.size > mostLate) removed.delete(oldest)
  }

  return {
    add: (call) => {
      if (waiting.length - first + underWay.size >= most) return false
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
