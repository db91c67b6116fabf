/**
 * The requests under way by their ids, and the few answered ones whose connection the server still holds open.
 */
import { cancelledBy, type JsonRpcId, type JsonRpcMessage } from "@zain/process/JsonRpc"

/** A request under way. */
export interface InFlightRequest {
  readonly id: JsonRpcId
  /** Closes the connection of the request. */
  abort: () => void
}

/** The requests of one wire. */
export interface InFlightRequests<R extends InFlightRequest> {
  /** Returns the request under way with this id. */
  readonly get: (id: JsonRpcId) => R | undefined
  /** Adds a request. */
  readonly add: (request: R) => void
  /** Marks a request as answered. Its connection stays open until the server ends the response, so that it can be reused. */
  readonly answered: (request: R) => void
  /** Removes a request whose response has ended. */
  readonly ended: (request: R) => void
  /** Aborts the request that a `notifications/cancelled` names; ignores other messages. */
  readonly cancelled: (message: JsonRpcMessage) => void
  /** Aborts and removes a request. */
  readonly drop: (request: R) => void
  /** Aborts and removes every request. */
  readonly dropAll: () => void
}

/** How many connections of answered requests a server may hold. */
const mostHeld = 4

/**
 * Starts without requests.
 *
 * @param idle called when the last request under way has ended
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
