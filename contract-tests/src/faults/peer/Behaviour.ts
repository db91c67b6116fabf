/**
 * How a peer misbehaves: functions that replace those of a healthy server. This folder is one program that plain Node runs,
 * so it imports nothing of the workspace at run time.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

export type Json = Readonly<Record<string, unknown>>
export type Id = string | number

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Sends messages to the client.
 *
 * - `send`: sends a message
 * - `text`: sends a message given as JSON text
 * - `frame`: returns the bytes with which the transport carries a JSON text
 * - `bytes`: writes raw bytes; resolves when the system has accepted them
 * - `ask`: sends a request; resolves with the client's whole response
 */
export interface Channel {
  readonly send: (message: unknown) => void
  readonly text: (json: string) => void
  readonly frame: (json: string | Uint8Array) => Buffer
  readonly bytes: (bytes: Uint8Array | string) => Promise<void>
  readonly ask: (method: string, params?: Json) => Promise<Json>
}

/**
 * A request of the client. `ok` answers it as a healthy server does, `result` and `error` in another way; `end` ends the
 * stream of the request, if it has one, without an answer.
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
 * The kind of an HTTP request. `strike`: the struck call; `plain`: any other call. `stream`: a GET without
 * `last-event-id`; `resume`: with it. `answer`: the client's response to a request of the server.
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
 * An HTTP request to the server of a fault.
 *
 * - `turn`: the number of earlier requests of this kind
 * - `good`: the whole message with which a healthy server answers a call
 * - `elsewhere`: an address of another origin, which must receive nothing
 * - `forget`: ends the session
 * - `remember`: the fault's own state
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
 * What a fault replaces; omitted members behave as in a healthy server.
 *
 * - `start`: runs before the first message is read (stdio), or on a new stream (SSE)
 * - `endpoint`: the endpoint that a new stream sends (SSE), from that of a healthy server
 * - `initialize`, `call`: answer the handshake and the struck call
 * - `initialized`: handles `notifications/initialized` (stdio and SSE)
 * - `afterCall`: runs after the answer to the call (stdio and SSE)
 * - `endOfInput`: handles the end of standard input (stdio)
 * - `http`: handles any HTTP request first; returns `true` if it did
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

/** What a subject's own dialect adds to the server's questions and events. */
export interface PeerDialect {
  /** The line that the peer prints for `--version`. */
  readonly version?: string
  /** Members that every approval request of the server carries. */
  readonly question?: Json
  /** Members that make an approval request malformed. */
  readonly strangeQuestions?: ReadonlyArray<Json>
  /** The dialect's own events; none by default. */
  readonly event?: {
    /** The method of the notification that carries an event, such as `codex/event`. */
    readonly method: string
    /** The member of the notification's params that holds the event. */
    readonly member: string
    /** The members of an event with a piece of text, without `delta`, which the peer adds. */
    readonly text: Json
    /** Events that break the agent's format, each of which the adapter must survive. */
    readonly strange: ReadonlyArray<unknown>
  }
}

/**
 * What the peer sends. `secret`: the client's credential. `good`: the answer to a call. `saying`: the same with another
 * text.
 */
export interface Script {
  readonly dialect: PeerDialect
  readonly secret: string
  readonly good: Json
  readonly saying: (text: string) => Json
}

/** The text of a healthy answer. Half of it is not ASCII, so that a cut can fall inside a character. */
export const answerText = "zain-fault-answer ✓ 日本語 😀"

/** The text of an answer that no client may return. */
export const decoyText = "zain-fault-decoy"

/** A prompt that holds this is struck by the fault; any other is answered. */
export const strikeMark = "zain-strike"

/** The violation that a peer reports when the handshake is cancelled. */
export const uncancellable = "initialize was cancelled, and must never be"

/** The input of the program. `answer`: the JSON of a good answer, with `answerText` as its text. */
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

/** The result of `initialize` of a healthy server. */
export const introduction = ({ protocolVersion }: Json): Json => ({
  protocolVersion,
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "zain-fault-peer", version: "1" },
})

export const response = (id: unknown, result: unknown): Json => ({ jsonrpc: "2.0", id, result })
export const refusal = (id: unknown, error: unknown): Json => ({ jsonrpc: "2.0", id, error })
export const notification = (method: string, params: Json = {}): Json => ({ jsonrpc: "2.0", method, params })
