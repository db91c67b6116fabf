/**
 * What is different about an editor, as a value.
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

/**
 * Receives what a decoder finds.
 *
 * - `frame`: the text of a whole frame
 * - `noise`: bytes that belong to no frame were skipped
 * - `oversize`: a frame over the limit was skipped: how it began, and its size in bytes
 * - `nonsense`: the bytes are not of this framing; nothing after them can be read
 */
export interface FrameListener {
  readonly frame: (text: string) => void
  readonly noise: (sample: string) => void
  readonly oversize: (beginning: string, bytes: number) => void
  readonly nonsense: (seen: string) => void
}

/**
 * How messages are separated.
 *
 * - `decoder`: takes the next bytes, cut anywhere, in time linear in them. Returns what of them belongs to no frame and may
 *   be noise, which depends on whether a frame follows
 */
export interface Framing {
  readonly encode: (text: string) => Buffer
  readonly decoder: (limit: number, listener: FrameListener) => (chunk: Buffer) => string | undefined
}

/** A failure that an editor reports. `code`: its own, if it has one. */
export interface EditorFailure {
  readonly message: string
  readonly reason: "editor" | "security-blocked"
  readonly code?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * What an editor's message is.
 *
 * - `Answer`: to the call of this id; of the oldest call where the editor did not say which
 * - `Notice`: something happened in the editor
 * - `Noise`: nothing that is read
 */
export type Incoming =
  | {
      readonly _tag: "Answer"
      readonly id: string | undefined
      readonly outcome: Result.Result<unknown, EditorFailure>
    }
  | Notice
  | { readonly _tag: "Noise" }

/**
 * `tools-changed`: its tools are others now; `content-changed`: what it holds is; `reloading`, `quitting`: why it is about to
 * close the connection.
 */
export interface Notice {
  readonly _tag: "Notice"
  readonly kind: "tools-changed" | "content-changed" | "reloading" | "quitting"
}

/**
 * What an editor says of itself when a connection begins.
 *
 * - `tools`: where it has a list of them, as it wrote it
 * - `project`: the directory of its project
 */
export interface Hello {
  readonly tools?: unknown
  readonly project?: string
}

/** Asks on a connection that is not open to calls yet. A failure of the editor is a value here. */
export type Ask = (
  method: string,
  params: Arguments,
) => Effect.Effect<Result.Result<unknown, EditorFailure>, DomainError>

/**
 * How an editor's messages are written and read.
 *
 * - `nextId`: an id that no other call of this process has
 * - `request`: the message of a call
 * - `read`: what a parsed message is
 * - `refuse`: why the editor could not take a message, given its text and its parameters
 * - `deny`: why this method is never sent, where it is not
 * - `cancel`: what the editor is sent when the call of this id is not waited for any more; nothing where it is absent
 * - `hello`: the first exchange of a connection
 */
export interface Dialect {
  readonly nextId: () => string
  readonly request: (id: string, method: string, params: Arguments) => object
  readonly read: (message: unknown) => Incoming
  readonly refuse?: (text: string, params: Arguments) => string | undefined
  readonly deny?: (method: string) => EditorFailure | undefined
  readonly cancel?: (id: string) => { readonly method: string; readonly params: Arguments }
  readonly hello: (ask: Ask, options: HelloOptions) => Effect.Effect<Hello, DomainError>
}

/**
 * - `clientName`: the MCP client's
 * - `isDevelopment`: whether the editor's development tools are wanted
 * - `wantsProject`: whether the project has to be known
 * - `token`: the secret of the place that was connected to
 */
export interface HelloOptions {
  readonly clientName: string
  readonly isDevelopment: boolean
  readonly wantsProject: boolean
  readonly token?: Redacted.Redacted
}

/**
 * The tools of an editor: those that it lists itself, or a fixed list. Of a dynamic list the connection is checked before
 * a tool's existence; of a static one existence, arguments and connection, in this order.
 */
export type ProfileCatalogue =
  | {
      readonly _tag: "Dynamic"
      /** Asks for the list anew. */
      readonly method: string
      readonly params: (options: HelloOptions) => Arguments
      /** Reads the list, and passes over what is no tool. */
      readonly read: (listed: unknown) => ReadonlyArray<EditorTool>
    }
  | {
      readonly _tag: "Static"
      readonly tools: ReadonlyArray<EditorTool>
      /** The editor's code for a command that it does not have. Without it the list never changes. */
      readonly unknownCommand?: string
    }

/**
 * - `method`: what the editor answers whatever its main thread does
 * - `within`: how long it may take to answer, or to send anything else, before it counts as stuck
 * - `after`: how long the editor itself gives a call; only then is it asked. `within` before the call's end if absent
 */
export interface Health {
  readonly method: string
  readonly within: Duration.Duration
  readonly after: (args: Arguments) => Duration.Duration | undefined
}

/**
 * An editor.
 *
 * - `name`: on the command line
 * - `inFlight`: how many calls it is sent at once
 * - `linkPer`: whether each MCP client has a connection of its own
 * - `reconnectDelay`: how long until the next attempt, by the attempts since the last success, from 0, and a random number
 *   between 0 and 1
 * - `timeout`: how long a call may take from when it is sent
 * - `result`: what an answer means to clients; a failure inside a success is an `EditorFailure`
 * - `startAdvice`: how a user starts the editor's side
 * - `madeFor`: the package in the editor, and its versions
 * - `tried`: how it was tested, where that was not with a fake alone
 * - `busyProbe`: what an editor answers, on one more connection, that does not answer the first exchange because its main
 *   thread is busy
 * - `health`: how an editor shows that it is there while its main thread is busy
 * - `features`: what it offers beside tools
 * - `routes`: what it answers over HTTP beside MCP, where clients share a connection
 * - `guidance`: what a model should know of it, in place of the sentence on reloads
 * - `introduction`: members of the answer to `initialize`, by the version of this server
 * - `aliases`: other names of MCP's methods, by those names
 * - `batches`: whether clients of MCP 2025-03-26 and older may send several messages as one
 * - `exposureAdvice`: what a user does if other machines can reach the editor; absent where it listens on loopback alone
 */
export interface EditorProfile {
  readonly name: string
  readonly title: string
  readonly framing: Framing
  readonly dialect: Dialect
  readonly catalogue: ProfileCatalogue
  readonly linkPer: "client" | "server"
  readonly inFlight: number
  readonly reconnectDelay: (attempt: number, random: number) => Duration.Duration
  readonly timeout: (args: Arguments, base: Duration.Duration | undefined) => Duration.Duration
  readonly result: (answer: unknown) => Result.Result<OperationResult, EditorFailure>
  readonly startAdvice: string
  readonly madeFor: string
  readonly tried?: string
  readonly health?: Health
  readonly features?: (content: EditorContent) => EditorFeatures
  readonly routes?: (context: RouteContext) => ReadonlyArray<EditorRoute>
  readonly guidance?: string
  readonly introduction?: (version: string) => Readonly<Record<string, unknown>>
  readonly aliases?: Readonly<Record<string, string>>
  readonly batches?: boolean
  readonly exposureAdvice?: string
  readonly busyProbe?: { readonly text: string; readonly isAnswer: (message: unknown) => boolean }
}
