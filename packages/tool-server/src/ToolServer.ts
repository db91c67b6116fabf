/**
 * An MCP server that offers tools: one session for each connection, whatever carries it.
 *
 * @see Model Context Protocol 2025-11-25; promises 21, 23, 24, 28 and 29
 */
import { setImmediate } from "node:timers/promises"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  type ClientCapabilities,
  ListToolsRequestSchema,
  type RequestId,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js"
import { noValidator } from "@zain/process/JsonRpc"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as JsonSize from "./JsonSize.ts"
import * as Lifecycle from "./Lifecycle.ts"
import type { ProtocolError } from "./ProtocolError.ts"
import type { ReadingRoom } from "./ReadingRoom.ts"

/** What the SDK knows of a request. */
export type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** A tool and its arguments, as the client wrote them. */
export type CallParams = CallToolRequest["params"]

/** `room`: what to wait for before more is said about a request whose client has fallen behind with reading. */
export interface PacedTransport extends Transport {
  readonly room?: (request: RequestId) => ReturnType<ReadingRoom>
}

/**
 * - `client`: what the client says it can do
 * - `room`: whether it keeps up with the notifications of the call
 */
export interface CallContext {
  readonly client: ClientCapabilities | undefined
  readonly extra: CallExtra
  readonly room: ReadingRoom
}

/**
 * What a server does for one client.
 *
 * - `call`: a call as an effect: its result, or a refusal of the protocol. Interrupted when the client cancels it
 * - `isBusy`: whether a call of its is under way
 * - `leave`: the client is away: its calls are interrupted, and what is held for it is let go. Its next call begins anew
 */
export interface ToolClient {
  readonly call: (params: CallParams, context: CallContext) => Effect.Effect<CallToolResult, ProtocolError>
  readonly isBusy: () => boolean
  readonly leave: Effect.Effect<void>
}

/**
 * - `name`, `title`, `version`, `instructions`: what `initialize` tells about the server
 * - `experimental`: capabilities beside tools
 * - `client`: begins to serve a client. `principal` is a secret of its own; `roots` are the directories in which it may
 *   have work done, if it has any of its own
 * - `maxCalls`: how many calls a client may have under way at once; one more is refused. 64
 * - `maxArgumentBytes`: how large the arguments of all clients' calls under way may be together; one more is refused if its
 *   own have more than 16 KiB. 32 MiB
 */
export interface Options {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly instructions: string
  readonly tools: ReadonlyArray<Tool>
  readonly experimental?: Readonly<Record<string, object>>
  readonly client: (principal: string | undefined, roots: ReadonlyArray<string> | undefined) => ToolClient
  readonly maxCalls?: number
  readonly maxArgumentBytes?: number
}

/** Calls whose arguments are no larger are not refused for it, in bytes: 64 sessions of 64 such calls have 64 MiB. */
const smallArguments = 16 * 1024

const tooMuch =
  "The calls under way have as large arguments as this server can hold. Send the call again when some have ended."

/**
 * One client.
 *
 * - `isBusy`, `leave`: see `ToolClient`
 * - `ended`: waits until the connection is closed, by either side
 */
export interface ServerSession extends Pick<ToolClient, "isBusy" | "leave"> {
  readonly ended: Effect.Effect<void>
}

/**
 * - `name`: what clients are told; the command has the same
 * - `session`: serves one client over a transport that has not been started. When the Scope closes the client's calls
 *   are interrupted and answered, what is held for it is let go, and the transport is closed. `principal` is a secret of
 *   the client's own: no other client can use what it names. `roots`: see `Options`
 */
export interface ToolServer {
  readonly name: string
  readonly session: (
    transport: PacedTransport,
    principal?: string,
    roots?: ReadonlyArray<string>,
  ) => Effect.Effect<ServerSession, never, Scope.Scope>
}

/** A turn of the event loop lets the SDK say what became of the calls. */
const close = (server: Server) =>
  Effect.promise(async () => {
    await setImmediate()
    await server.close().catch(() => {})
  })

/** A server for any number of clients at once. */
export const make = (options: Options): ToolServer => {
  const { instructions, maxArgumentBytes = 32 * 2 ** 20, maxCalls = 64, name, title, tools, version } = options
  const tooMany = `This session has ${maxCalls} calls under way, and may have no more at once. Wait for one to end, or cancel one.`
  let held = 0

  const session = Effect.fnUntraced(function* (
    transport: PacedTransport,
    principal?: string,
    roots?: ReadonlyArray<string>,
  ) {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const ended = Deferred.makeUnsafe<void>()
    const client = options.client(principal, roots)
    let calls = 0
    let isEnding = false
    const server = new Server(
      { name, title, version },
      {
        capabilities: {
          tools: {},
          ...(options.experimental === undefined ? {} : { experimental: options.experimental }),
        },
        instructions,
        jsonSchemaValidator: noValidator,
      },
    )
    server.onerror = () => {}
    server.onclose = () => void Deferred.doneUnsafe(ended, Effect.void)
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
      // It would take hold again of what is let go of, and nobody would let go of that.
      if (isEnding) return failure(interrupted)
      if (calls >= maxCalls) return failure(tooMany)
      const size = JsonSize.of(params.arguments)
      if (size > smallArguments && held > 0 && held + size > maxArgumentBytes) return failure(tooMuch)
      const room = () => transport.room?.(Lifecycle.givenId(extra.requestId))
      const fiber = run(
        Effect.suspend(() =>
          extra.signal.aborted || isEnding
            ? Effect.interrupt
            : client.call(params, { client: server.getClientCapabilities(), extra, room }),
        ),
      )
      calls++
      held += size
      fiber.addObserver(() => {
        calls--
        held -= size
      })
      return settle(fiber, extra.signal)
    })
    const leave = Effect.suspend(() => {
      isEnding = true
      return client.leave
    })
    // Runs before what `connect` makes is closed.
    yield* Effect.acquireRelease(
      Effect.promise(() => server.connect(Lifecycle.guard(transport))),
      () => Effect.andThen(leave, close(server)),
    )
    yield* Effect.forkScoped(Effect.andThen(Deferred.await(ended), leave))
    return { isBusy: client.isBusy, leave: client.leave, ended: Deferred.await(ended) }
  })
  return { name, session }
}

/** A result that says why there is none. */
export const failure = (message: string): CallToolResult => ({
  content: [{ type: "text", text: message }],
  isError: true,
})

/**
 * What the SDK is told of a call.
 *
 * @param fiber the call
 * @param signal says that the client waits no more: the call is interrupted, and nothing is answered
 */
const settle = (fiber: Fiber.Fiber<CallToolResult, ProtocolError>, signal: AbortSignal): Promise<CallToolResult> =>
  new Promise((resolve, reject) => {
    const interrupt = () => fiber.interruptUnsafe()
    signal.addEventListener("abort", interrupt, { once: true })
    // Of a call and its cancellation in one piece, the SDK handles the cancellation first.
    if (signal.aborted) interrupt()
    fiber.addObserver((exit) => {
      signal.removeEventListener("abort", interrupt)
      if (Exit.isSuccess(exit)) return resolve(exit.value)
      const [first] = exit.cause.reasons.filter(Cause.isFailReason)
      if (first !== undefined) return reject(first.error)
      resolve(failure(Cause.hasInterruptsOnly(exit.cause) ? interrupted : broken(exit.cause)))
    })
  })

const interrupted = "The call was interrupted: this server is ending, or its client was away."

const broken = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return `The server failed in a way that it does not know: ${error instanceof Error ? error.message : String(error)}`
}
