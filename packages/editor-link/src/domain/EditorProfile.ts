/**
 * A kind of editor, as a value: what differs from other editors.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type { Arguments, EditorTool } from "./Catalogue.ts"
import type { DomainError } from "./DomainError.ts"
import type { EditorContent, EditorFeatures } from "./EditorFeatures.ts"
import type { EditorRoute, RouteContext } from "./EditorRoutes.ts"
import type { OperationResult } from "./OperationResult.ts"

/** Receives the findings of a decoder. */
export interface FrameListener {
  /** Receives the size of a frame whose body follows, in bytes; `frame` or `oversize` ends it. */
  readonly begun: (bytes: number) => void
  /** Receives the text of a whole frame. */
  readonly frame: (text: string) => void
  /** Receives skipped bytes between frames that the editor is known to write. */
  readonly noise: (sample: string) => void
  /**
   * Receives a skipped frame over the limit.
   *
   * @param beginning up to 4 KiB of its text, where the id stands; empty if unknown: then the oldest call fails
   * @param bytes its size
   */
  readonly oversize: (beginning: string, bytes: number) => void
  /** Receives bytes that are not of this framing, once; the connection is then closed. */
  readonly nonsense: (seen: string) => void
}

/** How messages are separated on the connection. */
export interface Framing {
  /** Writes a message as bytes. */
  readonly encode: (text: string) => Buffer
  /**
   * Makes the decoder of one connection. It takes the next bytes, cut anywhere, in time linear in them, never throws, and
   * returns the bytes that are noise if a frame follows them.
   *
   * @param limit the largest frame, in bytes
   */
  readonly decoder: (limit: number, listener: FrameListener) => (chunk: Buffer) => string | undefined
}

/** A failure that an editor reports. */
export interface EditorFailure {
  /** The editor's text. */
  readonly message: string
  /** `security-blocked` if the editor's security settings block the tool. */
  readonly reason: "editor" | "security-blocked"
  /** The editor's own code; it replaces `TOOL_EXECUTION_ERROR` in results. */
  readonly code?: string
  /** More members of the editor's failure, for programs. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * A parsed message of an editor.
 *
 * - `Answer`: answers the call of this id, or the oldest call if `id` is undefined. An unknown or late id is dropped
 * - `Notice`: reports a change in the editor
 * - `Noise`: is ignored
 */
export type Incoming =
  | {
      readonly _tag: "Answer"
      readonly id: string | undefined
      readonly outcome: Result.Result<unknown, EditorFailure>
    }
  | Notice
  | { readonly _tag: "Noise" }

/** A change in the editor that it reports itself. */
export interface Notice {
  readonly _tag: "Notice"
  /**
   * - `tools-changed`: a dynamic list is requested again
   * - `content-changed`: cached reads are dropped, and subscribed clients are notified
   * - `reloading`: the connection will close, and calls wait for the editor
   * - `quitting`: the connection will close, and calls fail at once
   */
  readonly kind: "tools-changed" | "content-changed" | "reloading" | "quitting"
}

/** An editor's part of the first exchange. */
export interface Hello {
  /** The unparsed list of tools, if the editor sends one now. */
  readonly tools?: unknown
  /** The directory of its project, which `--project` is compared with. */
  readonly project?: string
}

/** Sends one message before the connection accepts calls. A failure of the editor is a value. */
export type Ask = (
  method: string,
  params: Arguments,
) => Effect.Effect<Result.Result<unknown, EditorFailure>, DomainError>

/** How an editor's messages are written and read. */
export interface Dialect {
  /** Returns an id that no other call of this process has. */
  readonly nextId: () => string
  /** Writes the message of a call. */
  readonly request: (id: string, method: string, params: Arguments) => object
  /** Reads a parsed message. */
  readonly read: (message: unknown) => Incoming
  /** Returns why the editor cannot accept a message, such as its size; the call fails unsent. Default: never. */
  readonly refuse?: (text: string, params: Arguments) => string | undefined
  /** Returns why a method is never sent. Default: every method is. */
  readonly deny?: (method: string) => EditorFailure | undefined
  /** Returns the message that cancels a call which timed out or was cancelled. Default: no message is sent. */
  readonly cancel?: (id: string) => { readonly method: string; readonly params: Arguments }
  /** Runs the first exchange of a connection, within 10 s. Calls are sent after it. */
  readonly hello: (ask: Ask, options: HelloOptions) => Effect.Effect<Hello, DomainError>
}

/** What the first exchange may send to the editor. */
export interface HelloOptions {
  /** The MCP client's name; `MCP_CLIENT_NAME` for a client without one, or if clients share the connection. */
  readonly clientName: string
  /** Whether `NODE_ENV=development` requests the editor's development tools. */
  readonly isDevelopment: boolean
  /** Whether `--project` or a tool requires the project's directory. */
  readonly wantsProject: boolean
  /** The secret of the bridge; recordings and logs omit it. */
  readonly token?: Redacted.Redacted
}

/**
 * The tools of an editor: a list that it sends, or a fixed one. A dynamic list is checked after the connection; of a static
 * list existence and arguments are checked first, without the editor.
 */
export type ProfileCatalogue =
  | {
      readonly _tag: "Dynamic"
      /** The method that requests the list after `tools-changed`. */
      readonly method: string
      readonly params: (options: HelloOptions) => Arguments
      /** Reads the list. Skips invalid entries, and bounds names and texts: the editor wrote them. */
      readonly read: (listed: unknown) => ReadonlyArray<EditorTool>
    }
  | {
      readonly _tag: "Static"
      readonly tools: ReadonlyArray<EditorTool>
      /**
       * The editor's code for an unknown command: a call that fails with it removes the tool until the next connection. If
       * omitted, the list never changes, and `initialize` declares that.
       */
      readonly unknownCommand?: string
    }

/** How an editor shows that it runs while its main thread is busy. */
export interface Health {
  /** The method that the editor answers regardless of its main thread; it is sent at the editor's limit of a call, or `within` before the deadline. */
  readonly method: string
  /** How long the editor may send nothing before it counts as stuck. */
  readonly within: Duration.Duration
}

/** A kind of editor. */
export interface EditorProfile {
  /** The profile on the command line; the server is `zain-<name>-mcp`. */
  readonly name: string
  /** The editor's name in messages: `Cannot reach Fourth at …`. */
  readonly title: string
  readonly framing: Framing
  readonly dialect: Dialect
  readonly catalogue: ProfileCatalogue
  /**
   * `client`: each MCP client has its own connection, and `hello` receives its name. `server`: all clients share one. Use
   * `client` only if the editor shows or needs the client.
   */
  readonly linkPer: "client" | "server"
  /** How many calls are sent at once. With 1, a call's deadline does not run while it waits behind another. */
  readonly inFlight: number
  /**
   * Returns the time until the next attempt to connect; at most 1 s while a call waits.
   *
   * @param attempt attempts since the last success, from 0
   * @param random from 0 to 1
   */
  readonly reconnectDelay: (attempt: number, random: number) => Duration.Duration
  /** How long a call may take after it was sent, without `--timeout`. */
  readonly usualTimeout: Duration.Duration
  /** Returns the editor's own limit of a call; its answer may come 10 s later. Default: there is none. */
  readonly limit?: (params: Arguments) => Duration.Duration | undefined
  /** Converts an answer for clients. A failure inside a success becomes an `EditorFailure`. */
  readonly result: (answer: unknown) => Result.Result<OperationResult, EditorFailure>
  /** One sentence on how to start the editor's side; part of failures to connect. */
  readonly startAdvice: string
  /** The package in the editor and its versions, for `check`. */
  readonly madeFor: string
  /** How the profile was tested beyond a fake, for `check`. */
  readonly tried?: string
  /** How the editor shows that it runs while its main thread is busy. Default: only deadlines end a call. */
  readonly health?: Health
  /** Resources, prompts, completions and a log, beside tools. */
  readonly features?: (content: EditorContent) => EditorFeatures
  /** Paths over HTTP beside MCP, if clients share the connection. */
  readonly routes?: (context: RouteContext) => ReadonlyArray<EditorRoute>
  /** One or two sentences for the model; they replace the one on reloads. */
  readonly guidance?: string
  /** More members of the answer to `initialize`, by the version of this server. */
  readonly introduction?: (version: string) => Readonly<Record<string, unknown>>
  /** Names of MCP's methods, by their aliases. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Whether clients of MCP 2025-03-26 and older may send batches. */
  readonly batches?: boolean
  /** How to close the port to other machines. Omit it if the editor listens on loopback alone: `check` then skips that test. */
  readonly exposureAdvice?: string
  /**
   * A message that the editor answers on a second connection while its main thread is blocked. Without it, an editor that does
   * not answer `hello` counts as another program; with it, as busy.
   */
  readonly busyProbe?: { readonly text: string; readonly isAnswer: (message: unknown) => boolean }
}
