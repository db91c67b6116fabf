/**
 * Requests that are under way, by their ids, and the few that were answered but whose connection the server still holds.
 */
import { cancelledBy, type JsonRpcId, type JsonRpcMessage } from "@zain/process/JsonRpc"

/** `abort` gives its connection up. */
export interface InFlightRequest {
  readonly id: JsonRpcId
  abort: () => void
}

/**
 * - `get`, `add`: a request that is under way
 * - `answered`: it waits for nothing any more. Its connection is left to end by itself, so that it can be used again
 * - `ended`: its connection has done so
 * - `cancelled`: gives the request up that a message cancels, if it does
 * - `drop`: gives a request up
 * - `dropAll`: gives all of them up
 */
export interface InFlightRequests<R extends InFlightRequest> {
  readonly get: (id: JsonRpcId) => R | undefined
  readonly add: (request: R) => void
  readonly answered: (request: R) => void
  readonly ended: (request: R) => void
  readonly cancelled: (message: JsonRpcMessage) => void
  readonly drop: (request: R) => void
  readonly dropAll: () => void
}

/** How many connections of answered requests a server may hold. */
const mostHeld = 4

/**
 * No requests at all.
 *
 * @param idle called when nothing is under way any more
 */
export const make = <R extends InFlightRequest>(idle = () => {}): InFlightRequests<R> => {
  const underWay = new Map<JsonRpcId, R>()
  const held = new Set<R>()
  const over = (request: R) => {
    if (underWay.delete(request.id) && underWay.size === 0) idle()
  }
  const drop = (request: R) => {
    over(request)
    held.delete(request)
    request.abort()
  }
  return {
    get: (id) => underWay.get(id),
    add: (request) => void underWay.set(request.id, request),
    answered: (request) => {
      over(request)
      held.add(request)
      if (held.size <= mostHeld) return
      const [oldest] = held
      if (oldest !== undefined) drop(oldest)
    },
    ended: (request) => {
      over(request)
      held.delete(request)
    },
    cancelled: (message) => {
      const id = cancelledBy(message)
      const request = id === undefined ? undefined : underWay.get(id)
      if (request !== undefined) drop(request)
    },
    drop,
    dropAll: () => {
      for (const request of [...underWay.values(), ...held]) drop(request)
    },
  }
}
