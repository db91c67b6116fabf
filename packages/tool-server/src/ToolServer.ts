/**
 * An MCP server: one session for each connection, whatever carries it.
 *
 * @see Model Context Protocol 2025-11-25; promises 21, 23, 24, 28 and 29
 */
import { setImmediate } from "node:timers/promises"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  ErrorCode,
  type Implementation,
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
import * as Lifecycle from "./Lifecycle.ts"
import type { PacedTransport } from "./PacedTransport.ts"
import { ProtocolError } from "./ProtocolError.ts"
import type { ReadingRoom } from "./ReadingRoom.ts"

export type CallExtra = Features.CallExtra

/** A tool and its arguments, as the client wrote them. */
export type CallParams = CallToolRequest["params"]

/**
 * - `client`: what the client says it can do; `clientInfo`: what it is called
 * - `protocolVersion`: the revision of MCP that the session has agreed on
 * - `room`: whether it keeps up with the notifications of the call
 */
export interface CallContext {
  readonly client: ClientCapabilities | undefined
  readonly clientInfo: Implementation | undefined
  readonly protocolVersion: string
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
 * - `name`, `title`, `version`, `instructions`: what `initialize` says of the server
 * - `experimental`: capabilities beside those of the features
 * - `client`: begins to serve a client; what it acquires ends with the session. `principal` is a secret of its own; `roots`
 *   are the directories in which it may have work done, if it has any of its own
 * - `tools`: those of every client, or of each
 * - `resources`, `prompts`, `completions`, `logging`: what else each client is offered
 * - `aliases`: other names of methods, by those names
 * - `beforeInitialize`: runs before `initialize` is answered; the members that it gives stand in the answer, in place of
 *   others of their names
 * - `initialized`: runs when the client has said that it is ready
 * - `batches`: whether sessions of MCP 2025-03-26 and older take several messages as one. False
 * - `maxCalls`: how many calls a client may have under way at once; one more is refused. 64
 * - `maxArgumentBytes`: how large the arguments of all clients' calls under way may be together; one more is refused if its
 *   own have more than 16 KiB. 32 MiB
 */
export interface Options<Client extends ToolClient = ToolClient> {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly instructions: string
  readonly experimental?: Readonly<Record<string, object>>
  readonly client: (
    principal: string | undefined,
    roots: ReadonlyArray<string> | undefined,
  ) => Effect.Effect<Client, never, Scope.Scope>
  readonly tools: ReadonlyArray<Tool> | ((client: Client) => Features.Tools)
  readonly resources?: (client: Client) => Features.Resources
  readonly prompts?: (client: Client) => Features.Prompts
  readonly completions?: (client: Client) => Features.Complete
  readonly logging?: (client: Client) => Features.Logging
  readonly aliases?: Readonly<Record<string, string>>
  readonly beforeInitialize?: (
    client: Client,
    hello: Lifecycle.Hello,
  ) => Effect.Effect<Readonly<Record<string, unknown>>>
  readonly initialized?: (client: Client) => Effect.Effect<void>
  readonly batches?: boolean
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
 * - `methods`: what clients may ask for when they are initialized
 * - `session`: serves one client over a transport that has not been started. When the Scope closes the client's calls
 *   are interrupted and answered, what is held for it is let go, and the transport is closed. `principal` is a secret of
 *   the client's own: no other client can use what it names. `roots`: see `Options`
 */
export interface ToolServer {
  readonly name: string
  readonly methods: ReadonlySet<string>
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

const offered = ["tools", "resources", "prompts", "completions", "logging"] as const

/** A server for any number of clients at once. */
export const make = <Client extends ToolClient>(options: Options<Client>): ToolServer => {
  const { instructions, maxArgumentBytes = 32 * 2 ** 20, maxCalls = 64, name, title, tools, version } = options
  const { aliases = {}, completions, logging, prompts, resources } = options
  const tooMany = `This session has ${maxCalls} calls under way, and may have no more at once. Wait for one to end, or cancel one.`
  const served = Features.methodsOf(offered.filter((feature) => options[feature] !== undefined))
  const methods = new Set([...served, ...Object.keys(aliases)])
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

    /** Does work that a request asks for, unless there is too much already. `refuse`: what is answered where it is not done. */
    const perform = <A extends ServerResult>(
      work: Effect.Effect<A, ProtocolError>,
      params: unknown,
      signal: AbortSignal,
      refuse: (message: string) => A | Promise<never>,
    ): A | Promise<A> => {
      // The call would acquire again what is being released, and nothing would release that.
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
          clientInfo: server.getClientVersion(),
          protocolVersion: hello?.protocolVersion ?? "",
          extra,
          room: () => transport.room?.(Lifecycle.givenId(extra.requestId)),
        }),
      )
    const offer = Features.offer(
      {
        tools: typeof tools === "function" ? tools(client) : tools,
        ...(resources === undefined ? {} : { resources: resources(client) }),
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
      // A call of a tool that is refused has a result, which a model reads.
      const refuse = method === "tools/call" ? failure : refused
      server.setRequestHandler(schema, ({ params }: { readonly params?: unknown }, extra) => {
        const given = answer(params as never, extra)
        if (!Effect.isEffect(given)) return given
        const size = method === "tools/call" ? (params as CallParams).arguments : params
        return perform<ServerResult>(given, size, extra.signal, refuse)
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
    const guarded = Lifecycle.guard(transport, { served: methods, aliases, takesBatches: batches, before })
    // Runs before what `connect` makes is closed.
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

/** Sends what is not asked for. A client that has gone receives nothing. */
const notify = (server: Server, { notifications }: Features.Offer) =>
  Stream.runForEach(notifications, (notification) =>
    Effect.promise(() => server.notification(notification).catch(() => {})),
  )

/** A result that says why there is none. */
export const failure = (message: string): CallToolResult => ({
  content: [{ type: "text", text: message }],
  isError: true,
})

const refused = (message: string): Promise<never> =>
  Promise.reject(new ProtocolError({ code: ErrorCode.InternalError, message }))

/**
 * What the SDK is told of a call.
 *
 * @param fiber the call
 * @param signal says that the client waits no more: the call is interrupted, and nothing is answered
 * @param refuse what is answered where there is no result
 */
const settle = <A extends ServerResult>(
  fiber: Fiber.Fiber<A, ProtocolError>,
  signal: AbortSignal,
  refuse: (message: string) => A | Promise<never>,
): Promise<A> =>
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
      resolve(refuse(Cause.hasInterruptsOnly(exit.cause) ? interrupted : broken(exit.cause)))
    })
  })

const interrupted = "The call was interrupted: this server is ending, or its client was away."

const broken = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return `The server failed in a way that it does not know: ${error instanceof Error ? error.message : String(error)}`
}
