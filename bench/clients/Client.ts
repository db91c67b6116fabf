/**
 * The operations of all contestants, so that a row is written once.
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

export interface Session {
  /** Makes one call, and returns its answer. */
  readonly call: (prompt: string) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

/** @param onEvent receives every event of every call */
export interface Client {
  readonly open: (onEvent?: () => void) => Promise<Session>
  readonly end: () => Promise<unknown>
}

/** A client for sessions with this peer. */
export type MakeClient = (peer: Peer) => Promise<Client>

/** The limit of messages for all contestants, in bytes. */
export const maxMessageBytes = 128 * 1024 * 1024

/** Makes calls one after the other. */
export const calls = async ({ call }: Session, count: number, prompt: string): Promise<void> => {
  for (let done = 0; done < count; done++) await call(prompt)
}
