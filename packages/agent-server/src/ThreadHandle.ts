/**
 * Threads as clients know them: where several principals share a server, a thread's id is of use only to the one that
 * it was told to.
 *
 * @see promise 21; CVE-2026-111767: an id alone was authority
 */
import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * The name of a thread for a client. Nothing is kept, so it outlives the server.
 *
 * @param principal the client's own secret; without one, a thread goes by its id
 */
export const make = (threadId: string, principal: string | undefined): string =>
  principal === undefined ? threadId : `${threadId}.${macOf(threadId, principal)}`

/** No name of ours is longer, in characters: longer ones would be said back in every event. */
const longest = 1_024

/** The thread that a client means, or `undefined` when the name was never told to it. */
export const open = (handle: string, principal: string | undefined): string | undefined => {
  if (handle.length > longest) return undefined
  if (principal === undefined) return handle
  const at = handle.lastIndexOf(".")
  if (at < 0) return undefined
  const threadId = handle.slice(0, at)
  const given = Buffer.from(handle.slice(at + 1))
  const right = Buffer.from(macOf(threadId, principal))
  return given.length === right.length && timingSafeEqual(given, right) ? threadId : undefined
}

const macOf = (threadId: string, principal: string): string =>
  createHmac("sha256", principal).update(`zain thread ${threadId}`).digest("base64url")
