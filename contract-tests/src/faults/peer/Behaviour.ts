/**
 * How a peer misbehaves, as functions that stand in for what a healthy server does. This folder is one program: plain
 * Node runs it, so it imports nothing of the workspace.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

export type Json = Readonly<Record<string, unknown>>
export type Id = string | number

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Where messages to the client go.
 *
 * - `send`: a message
 * - `text`: a message given as JSON text
 * - `frame`: the bytes by which the transport carries a JSON text
 * - `bytes`: bytes as they are. Ends when the system has taken them
 * - `ask`: a request of the server's own. Ends with the client's whole response
 */
export interface Channel {
  readonly send: (message: unknown) => void
  readonly text: (json: string) => void
  readonly frame: (json: string | Uint8Array) => Buffer
  readonly bytes: (bytes: Uint8Array | string) => Promise<void>
  readonly ask: (method: string, params?: Json) => Promise<Json>
}

/**
 * A request of the client's. `ok` answers it as a healthy server does; `result` and `error` answer it otherwise; `end`
 * ends the stream of the request without an answer, where it has one.
 */
export interface Asked extends Channel {
  readonly id: Id
  readonly params: Json
  readonly ok: () => void
  readonly result: (result: unknown) => void
  readonly error: (error: unknown) => void
  readonly end: () => void
  readonly script: Script
}

/**
 * What a request is for. `strike`: a call that is to be struck; `plain`: any other. `stream`: a GET without
 * `last-event-id`; `resume`: with it. `answer`: the client's response to a question of ours.
 */
export type Kind =
  | "initialize"
  | "initialized"
  | "strike"
  | "plain"
  | "cancelled"
  | "answer"
  | "stream"
  | "resume"
  | "delete"
  | "other"

/**
 * - `turn`: how many requests of this kind this fault has seen before
 * - `good`: the whole message that a healthy server answers a call with
 * - `elsewhere`: an address of another origin, where nothing may arrive
 * - `forget`: the session is gone
 * - `gone`: when the last request of this kind came, in milliseconds
 */
export interface HttpHit {
  readonly kind: Kind
  readonly turn: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly socket: Socket
  readonly id: Id | undefined
  readonly script: Script
  readonly good: Json
  readonly elsewhere: string
  readonly forget: () => void
  readonly remember: Record<string, unknown>
}

/**
 * What a fault changes. What is left out is done as a healthy server does it.
 *
 * - `start`: before the first message is read (stdio), or on a new stream of the server (SSE)
 * - `endpoint`: the address that a new stream names (SSE), given the path that a healthy server names
 * - `initialize`, `call`: the handshake, and a call that is to be struck
 * - `initialized`: the client says that the handshake is complete, on a transport with a way back
 * - `afterCall`: after the answer to the call, on a transport with a way back
 * - `endOfInput`: the client closed our input (stdio)
 * - `http`: any HTTP request, before anything else is done about it; `true` when it has been dealt with
 */
export interface Behaviour {
  readonly start?: (channel: Channel, script: Script) => void
  readonly endpoint?: (path: string, hit: HttpHit) => string
  readonly initialize?: (asked: Asked) => void
  readonly call?: (asked: Asked) => void
  readonly initialized?: (channel: Channel) => void
  readonly afterCall?: (channel: Channel, script: Script) => void
  readonly endOfInput?: () => void
  readonly http?: (hit: HttpHit) => boolean
}

/**
 * What a subject's own dialect adds to what is asked and told.
 *
 * - `version`: what the peer prints for `--version`
 * - `question`: members of every question; `strangeQuestions`: members of questions out of shape
 * - `event`: the method of its notifications, the member of their params that holds the event, the members of an event
 *   that tells a `delta` of text, and events out of shape
 */
export interface PeerDialect {
  readonly version?: string
  readonly question?: Json
  readonly strangeQuestions?: ReadonlyArray<Json>
  readonly event?: {
    readonly method: string
    readonly member: string
    readonly text: Json
    readonly strange: ReadonlyArray<unknown>
  }
}

/**
 * What the peer was told. `secret`: what the client gave us in confidence. `good`: the answer to a call. `saying`: the
 * same with another text in it.
 */
export interface Script {
  readonly dialect: PeerDialect
  readonly secret: string
  readonly good: Json
  readonly saying: (text: string) => Json
}

/** Stands where a healthy answer says something. Half of it is not ASCII, so that bytes can be cut in the middle of one. */
export const answerText = "zain-fault-answer ✓ 日本語 😀"

/** The text of an answer that no client may return. */
export const decoyText = "zain-fault-decoy"

/** A prompt that holds this is to be struck by the fault; any other is answered. */
export const strikeMark = "zain-strike"

/** What a peer complains of when the handshake is cancelled. */
export const uncancellable = "initialize was cancelled, and must never be"

/** What goes to the program. `answer`: the JSON of a good answer, with `answerText` wherever its text goes. */
export interface Given {
  readonly answer: string
  readonly dialect: PeerDialect
}

export const script = ({ answer: template, dialect }: Given, secret: string): Script => ({
  dialect,
  secret,
  good: JSON.parse(template) as Json,
  saying: (text) => JSON.parse(template.replaceAll(answerText, JSON.stringify(text).slice(1, -1))) as Json,
})

/** What a healthy server says of itself. */
export const introduction = ({ protocolVersion }: Json): Json => ({
  protocolVersion,
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "zain-fault-peer", version: "1" },
})

export const response = (id: unknown, result: unknown): Json => ({ jsonrpc: "2.0", id, result })
export const refusal = (id: unknown, error: unknown): Json => ({ jsonrpc: "2.0", id, error })
export const notification = (method: string, params: Json = {}): Json => ({ jsonrpc: "2.0", method, params })
