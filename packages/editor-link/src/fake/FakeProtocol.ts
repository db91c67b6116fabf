/**
 * The protocol of a fake editor: its frames, and its answers to requests.
 */
import type { BytePile } from "./BytePile.ts"

/**
 * What stands at the beginning of the bytes that have arrived.
 *
 * - `wait`: nothing whole yet, or nothing that will ever be read
 * - `frame`: `size` bytes, whose text is this
 * - `skip`: so many bytes, of which some may not have arrived, that are read and forgotten
 * - `close`: what an editor closes the connection for
 */
export type Read =
  | { readonly _tag: "wait" }
  | { readonly _tag: "frame"; readonly size: number; readonly text: string }
  | { readonly _tag: "skip"; readonly size: number }
  | { readonly _tag: "close" }

/** A request that has been carried out. */
export interface Exchange {
  /** Whether it is one of those that begin a connection. */
  readonly isGreeting: boolean
  /** The text of its answer. */
  readonly answer: string
  /** The text of the answer that has this result instead. */
  readonly succeed: (result: unknown) => string
  /** The text of an answer to another request. */
  readonly stranger: string
  /** The text of the answer had the request not been readable. */
  readonly unreadable: string
  /** The texts of other answers, by the names of their faults. */
  readonly variants: Readonly<Record<string, string>>
}

/**
 * - `withLength`: the bytes of a frame whose header names this length; `undefined`: whose header is none
 */
export interface FakeProtocol {
  /** How many bytes an editor reads at once. */
  readonly readSize: number
  /** What the bytes that have arrived begin with. */
  readonly read: (pile: BytePile) => Read
  /** The writes of a frame. */
  readonly frame: (text: string) => ReadonlyArray<Buffer>
  readonly withLength: (length: number | undefined, text: string) => Buffer
  /** Bytes that may stand between frames. */
  readonly noise: Buffer
  /** A message that answers nothing. */
  readonly aside: () => string
  /** Whether the requests of all connections are carried out in one order, else each connection's are. */
  readonly isShared: boolean
  /**
   * Is given each frame's JSON when it arrives, and says whether its connection stays open; every one does where this
   * is absent. Connections are counted from 0.
   */
  readonly accepts?: (value: unknown, connection: number) => boolean
  /** What a frame is answered with on arrival, out of turn. */
  readonly beside?: (text: string, connection: number) => string | undefined
  /**
   * Carries out a request, of which it is given the JSON, `undefined` for a text that is none; gives `undefined` where
   * it is not answered.
   */
  readonly exchange: (request: unknown, connection: number) => Exchange | undefined
  /** What is sent to each connection before it is closed. */
  readonly farewell?: (reason: "reload" | "quit") => string | undefined
  /** Which tools there are from now on, and what is sent to each connection about it. */
  readonly setTools?: (tools: ReadonlyArray<NamedTool>) => string | undefined
}

/** A tool as the protocol lists it: with a name, and whatever else belongs to it. */
export interface NamedTool {
  readonly name: string
}
