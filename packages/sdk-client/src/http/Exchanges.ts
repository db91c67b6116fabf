/**
 * Requests that are under way, by their ids, and the few that were answered but whose connection the server still holds.
 */
import { cancelledBy, type JsonRpcId, type JsonRpcMessage } from "@zain/process/JsonRpc"

/** `abort` gives its connection up. */
export interface Exchange {
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
export interface Exchanges<E extends Exchange> {
  readonly get: (id: JsonRpcId) => E | undefined
  readonly add: (exchange: E) => void
  readonly answered: (exchange: E) => void
  readonly ended: (exchange: E) => void
  readonly cancelled: (message: JsonRpcMessage) => void
  readonly drop: (exchange: E) => void
  readonly dropAll: () => void
}

/** How many connections of answered requests a server may hold. */
const mostHeld = 4

/**
 * No requests at all.
 *
 * @param idle called when nothing is under way any more
 */
export const make = <E extends Exchange>(idle = () => {}): Exchanges<E> => {
  const underWay = new Map<JsonRpcId, E>()
  const held = new Set<E>()
  const over = (exchange: E) => {
    if (underWay.delete(exchange.id) && underWay.size === 0) idle()
  }
  const drop = (exchange: E) => {
    over(exchange)
    held.delete(exchange)
    exchange.abort()
  }
  return {
    get: (id) => underWay.get(id),
    add: (exchange) => void underWay.set(exchange.id, exchange),
    answered: (exchange) => {
      over(exchange)
      held.add(exchange)
      if (held.size <= mostHeld) return
      const [oldest] = held
      if (oldest !== undefined) drop(oldest)
    },
    ended: (exchange) => {
      over(exchange)
      held.delete(exchange)
    },
    cancelled: (message) => {
      const id = cancelledBy(message)
      const exchange = id === undefined ? undefined : underWay.get(id)
      if (exchange !== undefined) drop(exchange)
    },
    drop,
    dropAll: () => {
      for (const exchange of [...underWay.values(), ...held]) drop(exchange)
    },
  }
}
