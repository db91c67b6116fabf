/**
 * What a protocol is to a fake editor: how its frames are written and read, and what a request is answered with.
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

/**
 * A request that has been carried out.
 *
 * - `isGreeting`: whether it is one of those that begin a connection
 * - `answer`: the text of its answer
 * - `succeed`: the text of the answer that has this result instead
 * - `stranger`: the text of an answer to another request
 * - `unreadable`: the text of the answer had the request not been readable
 * - `variants`: the texts of other answers, by the names of their faults
 */
export interface Exchange {
  readonly isGreeting: boolean
  readonly answer: string
  readonly succeed: (result: unknown) => string
  readonly stranger: string
  readonly unreadable: string
  readonly variants: Readonly<Record<string, string>>
}

/**
 * - `readSize`: how many bytes an editor reads at once
 * - `read`: what the bytes that have arrived begin with
 * - `frame`: the writes of a frame
 * - `withLength`: the bytes of a frame whose header names this length; `undefined`: whose header is none
 * - `noise`: bytes that may stand between frames
 * - `aside`: a message that answers nothing
 * - `isShared`: whether the requests of all connections are carried out in one order, else each connection's are
 * - `accepts`: is given each frame's JSON when it arrives, and says whether its connection stays open; every one does where
 *   this is absent. Connections are counted from 0
 * - `beside`: what a frame is answered with on arrival, out of turn
 * - `exchange`: carries out a request, of which it is given the JSON, `undefined` for a text that is none; gives `undefined`
 *   where it is not answered
 * - `farewell`: what is sent to each connection before it is closed
 * - `setTools`: which tools there are from now on, and what is sent to each connection about it
 */
export interface FakeProtocol {
  readonly readSize: number
  readonly read: (pile: BytePile) => Read
  readonly frame: (text: string) => ReadonlyArray<Buffer>
  readonly withLength: (length: number | undefined, text: string) => Buffer
  readonly noise: Buffer
  readonly aside: () => string
  readonly isShared: boolean
  readonly accepts?: (value: unknown, connection: number) => boolean
  readonly beside: (text: string, connection: number) => string | undefined
  readonly exchange: (request: unknown, connection: number) => Exchange | undefined
  readonly farewell: (reason: "reload" | "quit") => string | undefined
  readonly setTools: (tools: ReadonlyArray<NamedTool>) => string | undefined
}

/** A tool as the protocol lists it: with a name, and whatever else belongs to it. */
export interface NamedTool {
  readonly name: string
}
