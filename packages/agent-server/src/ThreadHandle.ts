/**
 * Ids of threads for clients. Where several principals share a server, an id is valid only for the principal that received it.
 *
 * @see docs/internals/promises.md, 21; CVE-2026-111767: an id alone was authority
 */
import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * The id of a thread for a client, signed with the principal. It needs no state, so it stays valid after a restart.
 *
 * @param principal the client's secret; without one, the result is the thread's own id
 */
export const make = (threadId: string, principal: string | undefined): string =>
  principal === undefined ? threadId : `${threadId}.${macOf(threadId, principal)}`

/** Longest id that is read, in characters. The server makes no longer one, and repeats the id in every event. */
const maxIdLength = 1_024

/** The thread of a client's id, or `undefined` when the id was not made for this principal. */
export const open = (handle: string, principal: string | undefined): string | undefined => {
  if (handle.length > maxIdLength) return undefined
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
