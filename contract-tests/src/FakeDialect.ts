/**
 * What is different about one agent, as a value for the neutral fakes: its own MCP server, and the program that an agent
 * server starts. An adapter's package publishes it; `FakePeer` and `FakeAgent` take it.
 */
import type { JsonRpcId } from "@zain/process/JsonRpc"
import type { Action } from "./ContractScript.ts"
import type { ContractSubject } from "./ContractSubject.ts"
import type { Conversations } from "./FakeConversations.ts"
import type { Sighting } from "./PeerObservation.ts"

export type { Conversation, Conversations } from "./FakeConversations.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object whose members can be looked at. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Never ends. */
export const never: Promise<never> = new Promise(() => {})

/** The text of a message that is a string, or a list of parts with texts. */
export const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : [])
        .flatMap((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
        .join("\n")

/** `name`: the provider's. `server`: the agent's own MCP server. `agent`: the agent behind an agent server. */
export interface FakeDialect {
  readonly name: string
  readonly server: Server
  readonly agent: Agent
}

/**
 * A part of a dialect that runs as a program.
 *
 * - `module`: the URL of the module that exports this value as `server` or as `agent`; the program imports it
 * - `version`: what the program prints for `--version`
 * - `terminated`: the status with which SIGTERM ends it; the signal itself when left out
 */
export interface Program {
  readonly module: string
  readonly version: string
  readonly terminated?: number
}

/** `args`, `env`: of the process that the server runs in, or pretends to. */
export interface Host {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * - `args`: what the adapter expects on the command line of the server
 * - `asked`: those of them that a fake in memory is given too: a client may ask a program with the others for its version
 * - `complaint`: what it writes to its standard error about a line that is no JSON
 * - `cannot`: what it is excused from and why, beside that it forgets its threads: see `ContractSubject`
 * - `make`: a server of its own
 */
export interface Server extends Program {
  readonly args: ReadonlyArray<string>
  readonly asked?: ReadonlyArray<string>
  readonly complaint?: string
  readonly cannot?: NonNullable<ContractSubject["cannot"]>
  readonly make: (host: Host) => Behaviour
}

/** What a call is answered with. `undefined` is no answer at all. */
export type Outcome =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } }
  | undefined

/**
 * One `tools/call`.
 *
 * - `signal`: aborts when the client cancels the call
 * - `prompt`: names the prompt of the call, and notes that it arrived
 * - `notify`: sends a notification
 * - `ask`: sends a request to the client; ends with its answer, and never for a refusal
 * - `cancelled`: ends when the client cancels the call
 * - `answerFor`: answers another call in its place
 * - `exit`: ends the server
 */
export interface Call {
  readonly id: JsonRpcId
  readonly progressToken: unknown
  readonly signal: AbortSignal
  readonly cancelled: Promise<void>
  readonly prompt: (text: string) => void
  readonly notify: (method: string, params: JsonObject) => void
  readonly ask: (method: string, params: JsonObject) => Promise<unknown>
  readonly answerFor: (id: JsonRpcId, outcome: Outcome) => void
  readonly exit: () => void
}

/**
 * How an agent's own MCP server behaves.
 *
 * - `initialize`: the result, or the refusal, of the handshake
 * - `tools`: what `tools/list` tells
 * - `deaf`: methods that are never answered
 * - `call`: takes a call of a tool
 */
export interface Behaviour {
  readonly initialize: (params: JsonObject) => Outcome
  readonly tools: ReadonlyArray<JsonObject>
  readonly deaf?: ReadonlySet<string>
  readonly call: (name: string, args: unknown, call: Call) => Promise<Outcome>
}

/**
 * - `command`: the name of the program
 * - `isShared`: whether one process of it serves all clients of an agent server; one each when left out
 * - `make`: an agent that speaks its own protocol, one JSON object a line, each way
 */
export interface Agent extends Program {
  readonly command: string
  readonly isShared?: boolean
  readonly make: (place: Place) => RunningAgent
}

/**
 * Where a fake agent runs.
 *
 * - `args`, `cwd`: of its process
 * - `decide`: what to do for the last message of a conversation; `undefined` ends the turn without a word. A test's own dialect
 *   may decide otherwise than `ContractScript`, and take its time
 * - `send`: says something
 * - `saw`: notes what arrived, before anything is done about it
 * - `leave`: ends the process with a status, after these last words for people
 * - `crash`: ends it as it was told to, in the middle of a turn
 */
export interface Place {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly conversations: Conversations
  readonly decide: (userMessages: ReadonlyArray<string>) => Action | Promise<Action | undefined>
  readonly send: (message: JsonObject) => void
  readonly saw: (sighting: Sighting) => void
  readonly leave: (status: number, lastWords?: string) => void
  readonly crash: () => void
}

/** `receive` takes a message. `inputEnded`: its standard input has ended. */
export interface RunningAgent {
  readonly receive: (message: JsonObject) => void
  readonly inputEnded: () => void
}
