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
const maxHeld = 4

/**
 * Starts without requests.
 *
 * @param idle called when the last request under way has ended
 */
export const make = <R extends InFlightRequest>(idle = () => {}): InFlightRequests<R> => {
  // Few at a time: a session runs one turn.
  const underWay: Array<R> = []
  const held: Array<R> = []
  const over = (request: R) => {
    if (removed(underWay, request) && underWay.length === 0) idle()
  }
  const drop = (request: R) => {
    over(request)
    removed(held, request)
    request.abort()
  }
  const get = (id: JsonRpcId) => underWay.find((request) => request.id === id)
  return {
    get,
    add: (request) => void underWay.push(request),
    answered: (request) => {
      over(request)
      held.push(request)
      const [oldest] = held
      if (held.length > maxHeld && oldest !== undefined) drop(oldest)
    },
    ended: (request) => {
      over(request)
      removed(held, request)
    },
    cancelled: (message) => {
      const id = cancelledBy(message)
      const request = id === undefined ? undefined : get(id)
      if (request !== undefined) drop(request)
    },
    drop,
    dropAll: () => {
      for (const request of [...underWay, ...held]) drop(request)
    },
  }
}

/** Removes a member; whether it was there. */
const removed = <A>(all: Array<A>, one: A): boolean => {
  const at = all.indexOf(one)
  if (at >= 0) all.splice(at, 1)
  return at >= 0
}
