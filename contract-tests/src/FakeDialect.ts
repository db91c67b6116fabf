/**
 * How one agent differs from others, as a value: its own MCP server, and the program that an agent server starts. An
 * adapter's package publishes it; `FakePeer` and `FakeAgent` run it.
 */
import type { JsonRpcId } from "@zain/process/JsonRpc"
import type { Action } from "./ContractScript.ts"
import type { ContractSubject } from "./ContractSubject.ts"
import type { Conversations } from "./FakeConversations.ts"
import type { Sighting } from "./PeerObservation.ts"

export type { Conversation, Conversations, Stored, StoredTurn } from "./FakeConversations.ts"

/**
 * A JSON object, such as the params of a message: neither an array nor `null`. Check a member's type before you use it.
 */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Returns whether a value is a `JsonObject`: no array, not `null`.
 *
 * @param value any value, such as the params of a message
 */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A promise that never settles, for a call that never ends. */
export const never: Promise<never> = new Promise(() => {})

/**
 * Returns the text of a message's content.
 *
 * @param content a string, or a list of parts whose `text` members are joined by line breaks; anything else is empty
 */
export const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : [])
        .flatMap((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
        .join("\n")

/** The two fakes of one agent: of the program that an agent server starts, and of the agent's own MCP server. */
export interface FakeDialect {
  /** The provider's name, such as `codex`. */
  readonly name: string
  /** The fake of the agent's own MCP server; `FakePeer` runs it. */
  readonly server: Server
  /** The fake of the program that an agent server starts; `FakeAgent` runs it. */
  readonly agent: Agent
  /** Options of one turn of the agent behind an agent server, real or fake. */
  readonly turn?: NonNullable<ContractSubject["turn"]>
}

/** A fake that can run as a program of its own. `Server` and `Agent` extend it. */
export interface Program {
  /** The URL of the module that exports this value as `server` or as `agent`; the program imports it. */
  readonly module: string
  /** The line that the program prints for `--version`. */
  readonly version: string
  /** The exit code with which SIGTERM ends the program; if omitted, the signal itself ends it. */
  readonly terminated?: number
}

/** The arguments and the environment of an MCP server; a fake in memory receives them too. */
export interface Host {
  /** The arguments of the server, such as `mcp-server`, without those that start the fake; none over HTTP. */
  readonly args: ReadonlyArray<string>
  /** The environment of the process, in memory the one that the client would give the process; empty over HTTP. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A fake of an agent's own MCP server, such as `codex mcp-server`. */
export interface Server extends Program {
  /** The arguments that the adapter expects on the server's command line. */
  readonly args: ReadonlyArray<string>
  /**
   * The arguments that a fake in memory receives; `args` by default. Leave out arguments for which a client first
   * starts the program to read its version: a fake in memory has no program.
   */
  readonly asked?: ReadonlyArray<string>
  /** The line that the server writes to stderr for an input line that is no JSON; nothing by default. */
  readonly complaint?: string
  /** The capabilities that the server lacks, beside `resume` and `elsewhere`; see `ContractSubject`. */
  readonly cannot?: NonNullable<ContractSubject["cannot"]>
  /**
   * Makes a server for one connection, over HTTP for one session; each has a server of its own.
   *
   * @param host the arguments and the environment of the server; both are empty over HTTP
   */
  readonly make: (host: Host) => Behaviour
}

/** The response to a request; `undefined` sends none. */
export type Outcome =
  | {
      /** The `result` of the JSON-RPC response, in the form in which the agent's own server sends it. */
      readonly result: JsonObject
    }
  | {
      /** The `error` of the JSON-RPC response, such as that of an unknown tool. */
      readonly error: {
        /** The code of JSON-RPC, such as -32602. */
        readonly code: number
        /** The text that a client shows. */
        readonly message: string
      }
    }
  | undefined

/** One `tools/call` that the server received. */
export interface Call {
  /** The id of the JSON-RPC request, for `answerFor` of a later call. */
  readonly id: JsonRpcId
  /** The `progressToken` of the request's `_meta`; `undefined` if the client sent none. */
  readonly progressToken: unknown
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal
  /** Resolves when the client cancels the call, and never settles otherwise. */
  readonly cancelled: Promise<void>
  /**
   * Records that the prompt of this call has arrived, for `peer` of the subject. Call it before the agent acts on the
   * prompt.
   *
   * @param text the whole prompt, as the call carried it
   */
  readonly prompt: (text: string) => void
  /**
   * Sends a notification to the client while the call runs.
   *
   * @param method such as `notifications/progress`
   * @param params the notification's `params`, in the form in which the agent's own server sends them
   */
  readonly notify: (method: string, params: JsonObject) => void
  /**
   * Sends a request to the client. The promise resolves with the client's result, and never settles for an error.
   *
   * @param method the request's method, such as `elicitation/create`
   * @param params the request's `params`, in the form in which the agent's own server sends them
   */
  readonly ask: (method: string, params: JsonObject) => Promise<unknown>
  /**
   * Sends the response to another call, as Codex does after a cancelled call.
   *
   * @param id the `id` of the other `Call`, which may have been cancelled
   * @param outcome the response to the other call; `undefined` sends none
   */
  readonly answerFor: (id: JsonRpcId, outcome: Outcome) => void
  /** Ends the server in the middle of the turn, for the directive `Exit`. */
  readonly exit: () => void
}

/** How an agent's own MCP server answers on one connection. */
export interface Behaviour {
  /**
   * Answers the handshake: returns the response to `initialize`, with its `result` or `error`.
   *
   * @param params the `params` of the client's `initialize`, such as `protocolVersion`; not validated, and `{}` if it
   *   sent none
   */
  readonly initialize: (params: JsonObject) => Outcome
  /** The tools that `tools/list` returns. */
  readonly tools: ReadonlyArray<JsonObject>
  /** Methods other than `tools/call` that the server never answers; none by default. */
  readonly deaf?: ReadonlySet<string>
  /**
   * Answers a `tools/call` with its result or error.
   *
   * @param name the `name` of the call, which need not be one that `tools/list` returned
   * @param args the `arguments` of the call, not validated
   * @param call the call, and what the server can do while it runs
   */
  readonly call: (name: string, args: unknown, call: Call) => Promise<Outcome>
}

/** A fake of the program that an agent server starts, such as `codex`. */
export interface Agent extends Program {
  /** The file name of the program, such as `codex`. */
  readonly command: string
  /** Whether one process serves all clients of an agent server; `false` by default, one process each. */
  readonly isShared?: boolean
  /**
   * Starts the agent. It speaks its own protocol, one JSON object a line, in both directions.
   *
   * @param place the process in which the agent runs, with what the agent may do in it
   */
  readonly make: (place: Place) => RunningAgent
}

/** The process of a fake agent: its arguments, its output, and its conversations. */
export interface Place {
  /** The arguments that the agent server gave the program. */
  readonly args: ReadonlyArray<string>
  /** The absolute path of the directory that the process was started in, such as for `Conversations.begin`. */
  readonly cwd: string
  /** The agent's conversations, which outlive the process. */
  readonly conversations: Conversations
  /**
   * Returns what to do for the last message of a conversation: `ContractScript.decide`, or a test's own function, which may
   * return a promise. `undefined` ends the turn without an answer.
   *
   * @param userMessages all messages of the user in this conversation, oldest first
   */
  readonly decide: (userMessages: ReadonlyArray<string>) => Action | Promise<Action | undefined>
  /**
   * Writes a message to the agent server, as one line on standard output.
   *
   * @param message one object of the agent's own protocol
   */
  readonly send: (message: JsonObject) => void
  /**
   * Records a prompt or a cancel. Call it before the agent acts on it.
   *
   * @param sighting the prompt, or the cancel, that arrived; a cancel has the `prompt` that it cancels
   */
  readonly saw: (sighting: Sighting) => void
  /**
   * Ends the process normally, after its output was written.
   *
   * @param status the code that the process exits with, such as 0
   * @param lastWords the last line on stderr; none by default
   */
  readonly leave: (status: number, lastWords?: string) => void
  /** Ends the process in the middle of a turn, for the directive `Exit`. */
  readonly crash: () => void
}

/** The handlers of a fake agent's standard input, as long as its process runs. */
export interface RunningAgent {
  /**
   * Handles a message of the agent server: one line of standard input that holds an object; other lines are dropped.
   *
   * @param message one object of the agent's own protocol
   */
  readonly receive: (message: JsonObject) => void
  /**
   * Handles the end of standard input, by which the agent server ends the agent: the agent calls `leave` of its
   * `Place`.
   */
  readonly inputEnded: () => void
}
