/**
 * The one listener of a wire, which also receives what was told before it was named.
 */
import type { McpError } from "@zain/core/McpError"
import type { JsonRpcId, JsonRpcMessage } from "@zain/process/JsonRpc"
import * as Failure from "./Failure.ts"
import type { WireListener } from "./McpWire.ts"

/**
 * - `listen`: names the listener
 * - `message`, `failed`: see `WireListener`
 * - `end`: tells the end, once; nothing is told after it. The error is only made when it is told
 * - `isOver`: whether the end was told
 */
export interface BufferedListener {
  readonly listen: (listener: WireListener) => void
  readonly message: (message: JsonRpcMessage) => void
  readonly failed: (error: McpError, id?: JsonRpcId) => void
  readonly end: (error: () => McpError) => void
  readonly isOver: () => boolean
}

/**
 * Buffers until a listener is named. A listener that throws ends it: a server's words must not end the host.
 *
 * @param about what that failure is about
 * @param broken lets go of what the wire is in the middle of then
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
      end(() => Failure.protocolViolation({ ...about(), cause }, "a message of its could not be handled"))
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
