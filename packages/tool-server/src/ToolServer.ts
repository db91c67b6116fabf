/**
 * An MCP server with one session per connection, over any transport.
 *
 * @see Model Context Protocol 2025-11-25; docs/internals/promises.md, 21, 23, 24, 28 and 29
 */
import { setImmediate } from "node:timers/promises"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  ErrorCode,
  type ServerResult,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js"
import { noValidator } from "@zain/process/JsonRpc"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Features from "./Features.ts"
import * as JsonSize from "./JsonSize.ts"
import * as LargeResults from "./LargeResults.ts"
import * as Lifecycle from "./Lifecycle.ts"
import type { PacedTransport } from "./PacedTransport.ts"
import { ProtocolError } from "./ProtocolError.ts"
import type { ReadingRoom } from "./ReadingRoom.ts"

/** The SDK's context of a request. */
export type CallExtra = Features.CallExtra

/** The tool and the arguments of a call, exactly as the client sent them. */
export type CallParams = CallToolRequest["params"]

/** The client and the session of a call. */
export interface CallContext {
  /** The client's capabilities. */
  readonly client: ClientCapabilities | undefined
  /** The negotiated revision of MCP. */
  readonly protocolVersion: string
  /** The SDK's context of the call. */
  readonly extra: CallExtra
  /** Whether the client keeps up with the notifications of the call. */
  readonly room: ReadingRoom
}

/** The server's side of one client. */
export interface ToolClient {
  /** Executes a call; fails with a JSON-RPC error. Interrupted when the client cancels the call. */
  readonly call: (params: CallParams, context: CallContext) => Effect.Effect<CallToolResult, ProtocolError>
  /** Whether a call of the client is under way. */
  readonly isBusy: () => boolean
  /** Interrupts the client's calls and releases its resources, while it is disconnected. The next call starts anew. */
  readonly leave: Effect.Effect<void>
}

/** The definition of a server. */
export interface Options<Client extends ToolClient = ToolClient> {
  /** The name in `serverInfo`. */
  readonly name: string
  /** The display name in `serverInfo`. */
  readonly title: string
  /** The version in `serverInfo`. */
  readonly version: string
  /** The instructions for the client's model in `initialize`. */
  readonly instructions: string
  /** The `experimental` capabilities, by name. */
  readonly experimental?: Readonly<Record<string, object>>
  /**
   * Starts serving a client; its resources are released with the session.
   *
   * @param principal a secret of the client's token, to keep its data apart from other clients'
   * @param roots the directories in which the client may let agents work, if its token names any
   */
  readonly client: (
    principal: string | undefined,
    roots: ReadonlyArray<string> | undefined,
  ) => Effect.Effect<Client, never, Scope.Scope>
  /** The tools: the same for every client, or those of each. */
  readonly tools: ReadonlyArray<Tool> | ((client: Client) => Features.Tools)
  /** The resources of a client. */
  readonly resources?: (client: Client) => Features.Resources
  /** The prompts of a client. */
  readonly prompts?: (client: Client) => Features.Prompts
  /** The completions of a client. */
  readonly completions?: (client: Client) => Features.Complete
  /** The log of a client. */
  readonly logging?: (client: Client) => Features.Logging
  /** Other names of methods, and the methods they stand for. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Runs before `initialize` is answered; the members of its value replace those of the answer. */
  readonly beforeInitialize?: (
    client: Client,
    hello: Lifecycle.Hello,
  ) => Effect.Effect<Readonly<Record<string, unknown>>>
  /** Runs after `notifications/initialized`. */
  readonly initialized?: (client: Client) => Effect.Effect<void>
  /** Whether sessions of MCP 2025-03-26 and older accept batches. False by default. */
  readonly batches?: boolean
  /** How many calls a client may have under way; further calls are rejected. 64 by default. */
  readonly maxCalls?: number
  /**
   * The limit for the arguments of all clients' calls under way together, in bytes; further calls with more than 16 KiB of
   * arguments are rejected. 32 MiB by default.
   */
  readonly maxArgumentBytes?: number
}

/** Calls with at most so many bytes of arguments are always accepted: 64 sessions of 64 such calls have 64 MiB. */
const smallArguments = 16 * 1024

const tooMuch =
  "The arguments of the calls under way reach this server's limit. Send the call again when some have ended."

/** The session of one client. */
export interface ServerSession extends Pick<ToolClient, "isBusy" | "leave"> {
  /** Returns when either side has closed the connection. */
  readonly ended: Effect.Effect<void>
}

/** A server that is ready for clients. */
export interface ToolServer {
  /** The name in `serverInfo`, which is also the name of the command. */
  readonly name: string
  /** The methods of an initialized session, with their aliases. */
  readonly methods: ReadonlySet<string>
  /**
   * Serves one client over a transport that was not started. When the Scope closes, the client's calls are interrupted and
   * answered, its resources are released, and the transport is closed.
   *
   * @param principal a secret of the client's token: see `Options.client`
   * @param roots the directories of the client's token: see `Options.client`
   */
  readonly session: (
    transport: PacedTransport,
    principal?: string,
    roots?: ReadonlyArray<string>,
  ) => Effect.Effect<ServerSession, never, Scope.Scope>
}

/** Waits one turn of the event loop, in which the SDK answers the interrupted calls. */
const close = (server: Server) =>
  Effect.promise(async () => {
    await setImmediate()
    await server.close().catch(() => {})
  })

const offered = ["tools", "resources", "prompts", "completions", "logging"] as const

/** Makes a server for any number of clients at once. */
export const make = <Client extends ToolClient>(options: Options<Client>): ToolServer => {
  const { instructions, maxArgumentBytes = 32 * 2 ** 20, maxCalls = 64, name, title, tools, version } = options
  const { aliases = {}, completions, logging, prompts, resources } = options
  const tooMany = `This session has ${maxCalls} calls under way, the maximum. Wait for one to end, or cancel one.`
  const features = Features.methodsOf(offered.filter((feature) => options[feature] !== undefined))
  const methods = new Set([...features, ...Object.keys(aliases)])
  let held = 0

  const session = Effect.fnUntraced(function* (
    transport: PacedTransport,
    principal?: string,
    roots?: ReadonlyArray<string>,
  ) {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const ended = Deferred.makeUnsafe<void>()
    const ready = Deferred.makeUnsafe<void>()
    const client = yield* options.client(principal, roots)
    let calls = 0
    let isEnding = false
    let hello: Lifecycle.Hello | undefined

    /** Executes the work of a request within the limits. `refuse` makes the answer if it is not executed. */
    const perform = <A extends ServerResult>(
      work: Effect.Effect<A, ProtocolError>,
      params: unknown,
      signal: AbortSignal,
      refuse: (message: string) => A | Promise<never>,
    ): A | Promise<A> => {
      // The call would acquire resources again that are being released, and they would leak.
      if (isEnding) return refuse(interrupted)
      if (calls >= maxCalls) return refuse(tooMany)
      const size = JsonSize.of(params)
      if (size > smallArguments && held > 0 && held + size > maxArgumentBytes) return refuse(tooMuch)
      const fiber = run(Effect.suspend(() => (signal.aborted || isEnding ? Effect.interrupt : work)))
      calls++
      held += size
      fiber.addObserver(() => {
        calls--
        held -= size
      })
      return settle(fiber, signal, refuse)
    }
    const callTool: Features.CallTool = (params, extra) =>
      Effect.suspend(() =>
        client.call(params, {
          client: server.getClientCapabilities(),
          protocolVersion: hello?.protocolVersion ?? "",
          extra,
          room: () => transport.room?.(Lifecycle.givenId(extra.requestId)),
        }),
      )
    const own = resources?.(client)
    const { maxResultBytes } = transport
    const large =
      maxResultBytes === undefined
        ? undefined
        : LargeResults.make(() => LargeResults.limit(server.getClientCapabilities(), maxResultBytes))
    const readable = large === undefined ? own : LargeResults.beside(large, own)
    const offer = Features.offer(
      {
        tools: typeof tools === "function" ? tools(client) : tools,
        ...(readable === undefined ? {} : { resources: readable }),
        ...(prompts === undefined ? {} : { prompts: prompts(client) }),
        ...(completions === undefined ? {} : { completions: completions(client) }),
        ...(logging === undefined ? {} : { logging: logging(client) }),
      },
      callTool,
    )
    const { experimental } = options
    const server = new Server(
      { name, title, version },
      {
        capabilities: { ...offer.capabilities, ...(experimental === undefined ? {} : { experimental }) },
        instructions,
        jsonSchemaValidator: noValidator,
      },
    )
    server.onerror = () => {}
    server.onclose = () => void Deferred.doneUnsafe(ended, Effect.void)
    server.oninitialized = () => void Deferred.doneUnsafe(ready, Effect.void)
    for (const [method, { answer, schema }] of offer.methods) {
      // A rejected tool call has a result, which the model reads.
      const refuse = method === "tools/call" ? failure : refused
      server.setRequestHandler(schema, ({ params }: { readonly params?: unknown }, extra) => {
        const given = answer(params as never, extra)
        if (!Effect.isEffect(given)) return given
        const size = method === "tools/call" ? (params as CallParams).arguments : params
        return perform<ServerResult>(
          large === undefined ? given : Effect.map(given, large.fit),
          size,
          extra.signal,
          refuse,
        )
      })
    }
    const leave = Effect.suspend(() => {
      isEnding = true
      return client.leave
    })
    const { batches = false, beforeInitialize, initialized } = options
    const before: Lifecycle.BeforeInitialize = (given) => {
      hello = given
      return beforeInitialize === undefined ? undefined : run(beforeInitialize(client, given))
    }
    const served = new Set([...methods, ...offer.methods.keys()])
    const guarded = Lifecycle.guard(transport, { served, aliases, takesBatches: batches, before })
    // Runs before the connection is closed.
    yield* Effect.acquireRelease(
      Effect.promise(() => server.connect(guarded)),
      () => Effect.andThen(leave, close(server)),
    )
    yield* Effect.forkScoped(Effect.andThen(Deferred.await(ended), leave))
    const begin = Effect.andThen(initialized?.(client) ?? Effect.void, notify(server, offer))
    yield* Effect.forkScoped(Effect.andThen(Deferred.await(ready), begin))
    return { isBusy: client.isBusy, leave: client.leave, ended: Deferred.await(ended) }
  })
  return { name, methods, session }
}

/** Sends the notifications; those to a disconnected client are dropped. */
const notify = (server: Server, { notifications }: Features.Offer) =>
  Stream.runForEach(notifications, (notification) =>
    Effect.promise(() => server.notification(notification).catch(() => {})),
  )

/** Makes the result of a failed tool call. */
export const failure = (message: string): CallToolResult => ({
  content: [{ type: "text", text: message }],
  isError: true,
})

const refused = (message: string): Promise<never> =>
  Promise.reject(new ProtocolError({ code: ErrorCode.InternalError, message }))

/**
 * Turns a fiber into the promise that the SDK expects.
 *
 * @param signal aborted when the client cancels the call, which is then interrupted and not answered
 * @param refuse makes the answer of a call without a result
 */
const settle = <A extends ServerResult>(
  fiber: Fiber.Fiber<A, ProtocolError>,
  signal: AbortSignal,
  refuse: (message: string) => A | Promise<never>,
): Promise<A> =>
  new Promise((resolve, reject) => {
    const interrupt = () => fiber.interruptUnsafe()
    signal.addEventListener("abort", interrupt, { once: true })
    // If a call and its cancellation arrive in one chunk, the SDK handles the cancellation first.
    if (signal.aborted) interrupt()
    fiber.addObserver((exit) => {
      signal.removeEventListener("abort", interrupt)
      if (Exit.isSuccess(exit)) return resolve(exit.value)
      const [first] = exit.cause.reasons.filter(Cause.isFailReason)
      if (first !== undefined) return reject(first.error)
      resolve(refuse(Cause.hasInterruptsOnly(exit.cause) ? interrupted : broken(exit.cause)))
    })
  })

const interrupted = "The call was interrupted: the server is shutting down, or the client disconnected."

const broken = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return `Unexpected error of the server: ${error instanceof Error ? error.message : String(error)}`
}
