/**
 * Remembers that a server refused its own stream with 405, so that the next sessions of a client do not request it.
 *
 * @see Model Context Protocol 2025-11-25, transports, listening for messages from the server
 */
import { hash } from "node:crypto"

/** The last refusal of an origin. */
export interface StreamRefusal {
  /**
   * Records a refusal.
   *
   * @param server what names the server; its URL may contain secrets, so that only a digest is kept
   */
  readonly add: (server: ReadonlyArray<string>) => void
  /** Whether this server has refused the stream within the last seconds. */
  readonly has: (server: ReadonlyArray<string>) => boolean
  /** Called when the server has ended a connection: it may have been replaced. */
  readonly forget: () => void
}

/**
 * How long a refusal is remembered, in milliseconds: as long as an unused connection stays open, because the end of a server
 * shows on its connections.
 */
const remembered = 4_000

/** Starts without a refusal. */
export const make = (): StreamRefusal => {
  let last: { readonly digest: string; readonly until: number } | undefined
  return {
    add: (server) => {
      last = { digest: digestOf(server), until: performance.now() + remembered }
    },
    has: (server) => last !== undefined && performance.now() < last.until && last.digest === digestOf(server),
    forget: () => {
      last = undefined
    },
  }
}

const digestOf = (server: ReadonlyArray<string>) => hash("sha256", JSON.stringify(server), "base64")
