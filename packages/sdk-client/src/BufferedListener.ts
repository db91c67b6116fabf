/**
 * The listener of a wire, with a buffer for what arrives before `listen` is called.
 */
import type { McpError } from "@zain/core/McpError"
import type { JsonRpcId, JsonRpcMessage } from "@zain/process/JsonRpc"
import * as Failure from "./Failure.ts"
import type { WireListener } from "./McpWire.ts"

/** Forwards the events of a wire to one listener, in order. */
export interface BufferedListener {
  /** Sets the listener, which receives the buffered events first. */
  readonly listen: (listener: WireListener) => void
  /** See `WireListener.message`. */
  readonly message: (message: JsonRpcMessage) => void
  /** See `WireListener.failed`. */
  readonly failed: (error: McpError, id?: JsonRpcId) => void
  /** Reports the end of the wire, once; later events are dropped. `error` is called only if the end is reported. */
  readonly end: (error: () => McpError) => void
  /** Whether the end has been reported. */
  readonly isOver: () => boolean
}

/**
 * Makes a listener with an empty buffer. If the listener throws, the wire ends with `protocol-violation`: a server's message
 * must not end the host process.
 *
 * @param about the server that this failure names
 * @param broken releases what the wire holds when that happens
 */
export const make = (about: () => Failure.About, broken = () => {}): BufferedListener => {
  let listener: WireListener | undefined
  let early: Array<(listener: WireListener) => void> = []
  let over = false

  let isBroken = false
  const tell = (event: (listener: WireListener) => void) => {
    if (listener === undefined) return void early.push(event)
    try {
      event(listener)
    } catch (cause) {
      isBroken = true
      broken()
      end(() => Failure.protocolViolation({ ...about(), cause }, "one of its messages could not be processed"))
    }
  }
  const end = (error: () => McpError) => {
    if (over) return
    over = true
    const reason = error()
    tell((to) => to.ended(reason))
  }
  return {
    listen: (to) => {
      listener = to
      for (const event of early) if (!isBroken) tell(event)
      early = []
    },
    message: (message) => {
      if (!over) tell((to) => to.message(message))
    },
    failed: (error, id) => {
      if (!over) tell((to) => to.failed(error, id))
    },
    end,
    isOver: () => over,
  }
}
