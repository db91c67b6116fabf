/**
 * Gives a client what the SDK answers, as it comes, and lets go of a client that does not read.
 *
 * @see promise 27
 */
import type { ServerResponse } from "node:http"
import * as Duration from "effect/Duration"
import type { HttpLimits } from "./HttpLimits.ts"

type Bounds = Pick<HttpLimits, "maxUnreadBytes" | "patience">

/** How many times the bound ends a connection at once: what waits for a client must not grow for ever. */
const hardBound = 16

/** Clients that have left too much unread, and what takes that back. */
const late = new WeakMap<ServerResponse, () => void>()

/**
 * Ends the connection of a client that leaves too much unread for too long. To be called after each write: one message
 * may be larger than the bound, and until now nobody could read a byte of it.
 *
 * @returns whether the connection has ended
 */
export const endSlowReader = (response: ServerResponse, { maxUnreadBytes, patience }: Bounds): boolean => {
  const unread = response.writableLength
  if (unread <= maxUnreadBytes) late.get(response)?.()
  else if (unread > hardBound * maxUnreadBytes) response.destroy()
  else if (!late.has(response) && !response.destroyed) {
    const over = () => {
      clearTimeout(timer)
      late.delete(response)
      response.off("drain", over).off("close", over)
    }
    const timer = setTimeout(() => {
      over()
      if (response.writableLength > maxUnreadBytes) response.destroy()
    }, Duration.toMillis(patience))
    late.set(response, over)
    response.once("drain", over).once("close", over)
  }
  return response.destroyed
}

/**
 * Writes an answer. Resolves when all of it is on its way, or the client has gone; never rejects.
 *
 * @param most how many parts of the body are written; the rest is never made
 */
export const pump = async (
  answer: Response,
  response: ServerResponse,
  bounds: Bounds,
  most = Number.POSITIVE_INFINITY,
): Promise<void> => {
  for (const [name, value] of answer.headers) if (name !== "connection") response.setHeader(name, value)
  response.writeHead(answer.status)
  const reader = answer.body?.getReader()
  if (reader === undefined) return void response.end()
  response.flushHeaders()
  const cancel = () => void reader.cancel().catch(() => {})
  response.once("close", cancel)
  for (let parts = 0; parts < most; parts++) {
    const part = await reader.read().catch(() => undefined)
    if (part?.value === undefined || response.destroyed) break
    response.write(part.value)
    if (endSlowReader(response, bounds)) break
  }
  cancel()
  response.end()
}
