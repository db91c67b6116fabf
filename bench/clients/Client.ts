/**
 * What every contestant can do, so that a row is written once for all of them.
 */
import { fileURLToPath } from "node:url"

/** Where a server is. */
export type Peer = StdioPeer | HttpPeer

/** A server that is started for each session. */
export interface StdioPeer {
  readonly transport: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** A server that all sessions share. */
export interface HttpPeer {
  readonly transport: "http"
  readonly url: string
}

/** The neutral server over stdio. */
export const echo: StdioPeer = {
  transport: "stdio",
  command: process.execPath,
  args: [fileURLToPath(new URL("../echo-server.mjs", import.meta.url))],
}

/**
 * - `call`: one call, to its answer
 * - `calls`: so many, one after the other
 */
export interface Session {
  readonly call: (prompt: string) => Promise<unknown>
  readonly calls: (count: number, prompt: string) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

/** @param onEvent receives every event of every call */
export interface Client {
  readonly open: (onEvent?: () => void) => Promise<Session>
  readonly end: () => Promise<unknown>
}

/** A client for sessions with this peer. */
export type MakeClient = (peer: Peer) => Promise<Client>

/** The longest message that the contestants accept, in bytes; all accept the largest of the rows. */
export const longestMessage = 128 * 1024 * 1024

/** Calls one after the other, for clients without a batch of their own. */
export const oneByOne =
  (call: Session["call"]): Session["calls"] =>
  async (count, prompt) => {
    for (let done = 0; done < count; done++) await call(prompt)
  }
