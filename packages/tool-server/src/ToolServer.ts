/**
 * An MCP server with one session per connection, over any transport.
 *
 * @see Model Context Protocol 2025-11-25; docs/internals/promises.md, 21, 23, 24, 28 and 29
 */
import { setImmediate } from "node:timers/promises"
import type {
  CallToolRequest,
  CallToolResult,
  ClientCapabilities,
  ServerResult,
  Tool,
} from "@modelcontextprotocol/sdk/types.js"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Features from "./Features.ts"
import * as JsonSize from "./JsonSize.ts"
import * as LargeResults from "./LargeResults.ts"
import type { PacedTransport } from "./PacedTransport.ts"
import * as Peer from "./Peer.ts"
import { internalError, notFound, type ProtocolError } from "./ProtocolError.ts"
import type { ReadingRoom } from "./ReadingRoom.ts"

/** The tool and the arguments of a call, exactly as the client sent them. */
export type CallParams = CallToolRequest["params"]

/** The client and the session of a call. */
export interface CallContext {
  /** The client's capabilities. */
  readonly client: ClientCapabilities | undefined
  /** The negotiated revision of MCP. */
  readonly protocolVersion: string
  /** The call, and messages about it. */
  readonly request: Peer.RequestContext
  /** Whether the client keeps up with the notifications of the call. */
  readonly room: ReadingRoom
}

/** Answers a request beside those of MCP. */
export type Extension = (
  params: Readonly<Record<string, unknown>>,
  context: CallContext,
) => Effect.Effect<Readonly<Record<string, unknown>>, ProtocolError>

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
  /**
   * Methods beside those of MCP, such as `zain/steer`, for clients that declare the experimental capability of that name; for
   * any other client the method does not exist.
   */
  readonly extensions?: Readonly<Record<string, (client: Client) => Extension>>
  /** Other names of methods, and the methods they stand for. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Runs before `initialize` is answered; the members of its value replace those of the answer. */
  readonly beforeInitialize?: (client: Client, hello: Peer.Hello) => Effect.Effect<Readonly<Record<string, unknown>>>
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

/** Waits one turn of the event loop, in which the interrupted calls are answered. */
const close = (peer: Peer.Peer) =>
  Effect.promise(async () => {
    await setImmediate()
    await peer.close()
  })

const offered = ["tools", "resources", "prompts", "completions", "logging"] as const

/** Makes a server for any number of clients at once. */
export const make = <Client extends ToolClient>(options: Options<Client>): ToolServer => {
  const { instructions, maxArgumentBytes = 32 * 2 ** 20, maxCalls = 64, name, title, tools, version } = options
  const { aliases = {}, completions, extensions = {}, logging, prompts, resources } = options
  const tooMany = `This session has ${maxCalls} calls under way, the maximum. Wait for one to end, or cancel one.`
  const features = Features.methodsOf(offered.filter((feature) => options[feature] !== undefined))
  const named = new Set([...features, ...Object.keys(aliases), ...Object.keys(extensions)])
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
    let hello: Peer.Hello | undefined

    /** Executes the work of a request within the limits. `refuse` makes the reply if it is not executed. */
    const perform = (
      work: Effect.Effect<ServerResult, ProtocolError>,
      params: unknown,
      refuse: (message: string) => Peer.Reply,
      reply: (reply: Peer.Reply) => void,
    ): (() => void) | undefined => {
      // The call would acquire resources again that are being released, and they would leak.
      if (isEnding) return void reply(refuse(interrupted))
      if (calls >= maxCalls) return void reply(refuse(tooMany))
      const size = JsonSize.of(params)
      if (size > smallArguments && held > 0 && held + size > maxArgumentBytes) return void reply(refuse(tooMuch))
      calls++
      held += size
      const fiber = run(work)
      fiber.addObserver((exit) => {
        calls--
        held -= size
        reply(replyOf(exit, refuse))
      })
      return () => fiber.interruptUnsafe()
    }
    const contextOf = (request: Peer.RequestContext): CallContext => ({
      client: hello?.capabilities,
      protocolVersion: hello?.protocolVersion ?? "",
      request,
      room: () => transport.room?.(request.requestId),
    })
    const callTool: Features.CallTool = (params, request) =>
      Effect.suspend(() => client.call(params, contextOf(request)))
    const own = resources?.(client)
    const { maxResultBytes } = transport
    const large =
      maxResultBytes === undefined
        ? undefined
        : LargeResults.make(() => LargeResults.limit(hello?.capabilities, maxResultBytes))
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
    const methods = [...offer.methods].map(([method, answer]): [string, Peer.Method] => {
      // A rejected tool call has a result, which the model reads.
      const refuse = method === "tools/call" ? failed : refused
      return [
        method,
        (params: CallParams, context, reply) => {
          const given = answer(params as never, context)
          if (!Effect.isEffect(given)) return void reply(Result.succeed(given))
          const size = method === "tools/call" ? params.arguments : params
          return perform(large === undefined ? given : Effect.map(given, large.fit), size, refuse, reply)
        },
      ]
    })
    const beside = Object.entries(extensions).map(([method, make]): [string, Peer.Method] => {
      const answer = make(client)
      return [
        method,
        (params: Readonly<Record<string, unknown>>, request, reply) => {
          const { experimental = {} } = hello?.capabilities ?? {}
          if (!Object.hasOwn(experimental, method)) return void reply(Result.fail(notFound))
          const work = Effect.suspend(() => answer(params, contextOf(request)))
          return perform(
            Effect.map(work, (result): ServerResult => result as ServerResult & object),
            params,
            refused,
            reply,
          )
        },
      ]
    })
    const leave = Effect.suspend(() => {
      isEnding = true
      return client.leave
    })
    const { batches = false, beforeInitialize, experimental, initialized } = options
    const peer = Peer.make(transport, {
      introduction: {
        capabilities: { ...offer.capabilities, ...(experimental === undefined ? {} : { experimental }) },
        serverInfo: { name, title, version },
        instructions,
      },
      methods: new Map([...methods, ...beside]),
      served: new Set([...named, ...offer.methods.keys()]),
      aliases,
      takesBatches: batches,
      before: (given) => {
        hello = given
        return beforeInitialize === undefined ? undefined : run(beforeInitialize(client, given))
      },
      initialized: () => void Deferred.doneUnsafe(ready, Effect.void),
      closed: () => void Deferred.doneUnsafe(ended, Effect.void),
    })
    // Runs before the connection is closed.
    yield* Effect.acquireRelease(Effect.promise(peer.start), () => Effect.andThen(leave, close(peer)))
    yield* Effect.forkScoped(Effect.andThen(Deferred.await(ended), leave))
    const notices = Stream.runForEach(offer.notifications, (notice) => Effect.promise(() => peer.notify(notice)))
    const begin = Effect.andThen(initialized?.(client) ?? Effect.void, notices)
    yield* Effect.forkScoped(Effect.andThen(Deferred.await(ready), begin))
    return { isBusy: client.isBusy, leave: client.leave, ended: Deferred.await(ended) }
  })
  return { name, methods: named, session }
}

/** Makes the result of a failed tool call. */
export const failure = (message: string): CallToolResult => ({
  content: [{ type: "text", text: message }],
  isError: true,
})

const failed = (message: string): Peer.Reply => Result.succeed(failure(message))
const refused = (message: string): Peer.Reply => Result.fail(internalError(message))

/** @param refuse makes the reply of a call without a result */
const replyOf = (exit: Exit.Exit<ServerResult, ProtocolError>, refuse: (message: string) => Peer.Reply): Peer.Reply => {
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const [first] = exit.cause.reasons.filter(Cause.isFailReason)
  if (first !== undefined) return Result.fail(first.error)
  return refuse(Cause.hasInterruptsOnly(exit.cause) ? interrupted : broken(exit.cause))
}

const interrupted = "The call was interrupted: the server is shutting down, or the client disconnected."

const broken = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return `Unexpected error of the server: ${error instanceof Error ? error.message : String(error)}`
}
