/**
 * The server's end of one connection: the order and the ids of its messages, the answers, and the server's own requests.
 *
 * - `initialize` must come first and once. The server's work before its answer is waited for.
 * - An id belongs to one request at a time.
 * - A cancelled request is stopped and not answered.
 * - The server's own requests have ids that cannot be guessed.
 *
 * @see Model Context Protocol 2025-11-25, base protocol and lifecycle; docs/internals/promises.md, 21
 */
import { randomBytes } from "node:crypto"
import type {
  ClientCapabilities,
  Implementation,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  RequestMeta,
  ServerCapabilities,
  ServerResult,
} from "@modelcontextprotocol/sdk/types.js"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Batch from "./Batch.ts"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"
import type { PacedTransport } from "./PacedTransport.ts"
import { codes, internalError, notFound, ProtocolError } from "./ProtocolError.ts"
import * as RequestIds from "./RequestIds.ts"
import * as RequestShapes from "./RequestShapes.ts"

/** The parameters of a client's `initialize`. */
export interface Hello {
  readonly clientInfo: Implementation
  readonly capabilities: ClientCapabilities
  /** The negotiated revision of MCP. */
  readonly protocolVersion: string
}

/** What a message beside the answers says. */
export interface Said {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** The answer to a request. */
export type Reply = Result.Result<ServerResult, ProtocolError>

/** A request under way, with messages about it: on the request's own stream if the transport has one. */
export interface RequestContext {
  /** The client's id. */
  readonly requestId: RequestId
  /** The `_meta` of the parameters. */
  readonly _meta: RequestMeta | undefined
  /** Sends a notification, and returns when it has been sent. Does nothing when the request is over. */
  readonly notify: (notification: Said) => Promise<void>
  /**
   * Sends a request to the client, with the client's own id in `_meta.requestId`: a client may have several calls under
   * way. An interruption sends it `notifications/cancelled`. There is no timeout. Fails with the client's error.
   */
  readonly ask: (request: Said) => Answer
}

/** Begins to answer a request. Calls `reply` once, at any time, and returns how to stop if it can be stopped. */
export type Method = (params: never, context: RequestContext, reply: (reply: Reply) => void) => (() => void) | undefined

/** What a server does in one session. */
export interface Rules {
  /** What the answer to `initialize` has beside the revision. */
  readonly introduction: {
    readonly capabilities: ServerCapabilities
    readonly serverInfo: Implementation
    readonly instructions: string
  }
  /** The methods of the session. */
  readonly methods: ReadonlyMap<string, Method>
  /** The methods that require an initialized session. */
  readonly served: ReadonlySet<string>
  /** Other names of methods, and the names they stand for. */
  readonly aliases: Readonly<Record<string, string>>
  /** Whether sessions of MCP 2025-03-26 and older accept batches. */
  readonly takesBatches: boolean
  /** Runs before `initialize` is answered. The members of its value replace those of the answer. */
  readonly before: (hello: Hello) => Fiber.Fiber<Readonly<Record<string, unknown>>> | undefined
  /** Called after `notifications/initialized`. */
  readonly initialized: () => void
  /** Called once, when the connection has closed. */
  readonly closed: () => void
}

/** One end of a connection. */
export interface Peer {
  /** Starts the transport. */
  readonly start: () => Promise<void>
  /** Sends a notification that belongs to no request; dropped if the client is disconnected. */
  readonly notify: (notification: Said) => Promise<void>
  /** Closes the transport. */
  readonly close: () => Promise<void>
}

/** A request under way. */
interface UnderWay {
  stop: (() => void) | undefined
}

/** The client's answer to a request of the server. */
type Answer = Effect.Effect<Readonly<Record<string, unknown>>, ProtocolError>

/** Answers an entry of a batch. */
type Give = (answer: object) => void

const disconnected = new ProtocolError({ code: codes.connectionClosed, message: "Connection closed" })

// Every message has been validated before.
const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message
const isNotification = (message: JSONRPCMessage): message is JSONRPCNotification => !("id" in message)

const helloOf = ({ params }: JSONRPCRequest): Hello => {
  const hello = params as unknown as Hello
  const [latest = ""] = JsonRpc.revisions
  return JsonRpc.revisions.includes(hello.protocolVersion) ? hello : { ...hello, protocolVersion: latest }
}

/** Makes the server's end over a transport that was not started. */
export const make = (transport: PacedTransport, rules: Rules): Peer => {
  const { aliases, before, closed, initialized, introduction, methods, served, takesBatches } = rules
  const prefix = `${randomBytes(16).toString("hex")}-`
  const ids = RequestIds.make()
  /** The requests under way that belong to a batch. */
  const batched = new Map<RequestId, Give>()
  const underWay = new Map<RequestId, UnderWay>()
  const questions = new Map<RequestId, (answer: Answer) => void>()
  let asked = 0
  let state: "new" | "initializing" | "initialized" = "new"
  let preparing: ReturnType<Rules["before"]>

  // The SDK's types have no answer without an id.
  const attempt = async (message: object, relatedRequestId?: RequestId) =>
    transport.send(
      { jsonrpc: "2.0", ...message } as JSONRPCMessage,
      relatedRequestId === undefined ? {} : { relatedRequestId },
    )
  const send = (message: object, related?: RequestId) => attempt(message, related).catch(() => {})

  /** Answers a request of a batch; false for any other. */
  const gave = (id: RequestId, answer: object): boolean => {
    const give = batched.get(id)
    batched.delete(id)
    give?.(answer)
    return give !== undefined
  }
  const answer = (id: RequestId, reply: Reply) => {
    const message = Result.isSuccess(reply)
      ? { jsonrpc: "2.0" as const, id, result: reply.success }
      : { jsonrpc: "2.0" as const, id, error: errorOf(reply.failure) }
    ids.said(message as JSONRPCMessage)
    if (!gave(id, message)) void send(message)
  }

  const settle = (id: RequestId, answer: Answer) => {
    const resume = questions.get(id)
    questions.delete(id)
    resume?.(answer)
  }
  const ask = (related: RequestId, { method, params }: Said): Answer =>
    Effect.callback((resume) => {
      const id = `${prefix}${asked++}`
      questions.set(id, resume)
      const _meta = { requestId: related, ...(params?.["_meta"] as object | undefined) }
      attempt({ id, method, params: { ...params, _meta } }, related).catch(() => settle(id, Effect.fail(disconnected)))
      return Effect.sync(() => {
        if (questions.delete(id)) void send(JsonRpc.cancellation(id, "The request was cancelled."), related)
      })
    })
  const answered = (message: JsonRpc.JsonRpcSuccess | JsonRpc.JsonRpcFailure) => {
    if (!("error" in message))
      return settle(message.id, Effect.succeed(message.result as Readonly<Record<string, unknown>>))
    const { error, id } = message
    settle(id ?? "", Effect.fail(new ProtocolError({ code: error.code, message: error.message })))
  }

  const begin = (request: JSONRPCRequest) => {
    state = "initializing"
    const hello = helloOf(request)
    const introduce = (members: Readonly<Record<string, unknown>>) => {
      state = "initialized"
      if (takesBatches && Batch.isPartOf(hello.protocolVersion)) transport.onbatch = takeBatch
      answer(request.id, Result.succeed({ protocolVersion: hello.protocolVersion, ...introduction, ...members }))
    }
    const fiber = before(hello)
    if (fiber === undefined) return introduce({})
    preparing = fiber
    fiber.addObserver((exit) => {
      // A disconnected client receives no answer; after a defect the client still receives one.
      if (preparing === fiber) introduce(Exit.isSuccess(exit) ? exit.value : {})
    })
  }

  const run = ({ id, method, params }: JSONRPCRequest) => {
    const request: UnderWay = { stop: undefined }
    underWay.set(id, request)
    const isUnderWay = () => underWay.get(id) === request
    const reply = (reply: Reply) => {
      if (!isUnderWay()) return
      underWay.delete(id)
      answer(id, reply)
    }
    const context: RequestContext = {
      requestId: id,
      _meta: params?._meta,
      notify: async (notification) => {
        if (isUnderWay()) await send(notification, id)
      },
      ask: (question) => Effect.suspend(() => (isUnderWay() ? ask(id, question) : Effect.fail(disconnected))),
    }
    const perform = method === "ping" ? pong : (methods.get(method) ?? unknown)
    // A request whose cancellation arrives in the same chunk does not start.
    queueMicrotask(() => {
      if (!isUnderWay()) return
      try {
        request.stop = perform((params ?? {}) as never, context, reply)
      } catch (cause) {
        reply(Result.fail(internalError(`Unexpected error of the server: ${String(cause)}`)))
      }
    })
  }
  const cancel = (id: RequestId) => {
    // Its batch waits for every answer.
    gave(id, JsonRpcMessage.refusal(RequestIds.cancelled(id)))
    const request = underWay.get(id)
    underWay.delete(id)
    request?.stop?.()
  }

  /** The problem of a request that is out of order. */
  const problem = (request: JSONRPCRequest): JsonRpcMessage.Problem | undefined => {
    const { id, method } = request
    if (ids.isTaken(request)) return RequestIds.taken
    if (ids.wasCancelled(request)) return RequestIds.cancelled(id)
    if (method === "initialize" && state !== "new") {
      return JsonRpcMessage.invalid("This session is initialized already.", id)
    }
    if (state === "new" && served.has(method)) {
      return JsonRpcMessage.invalid("This session is not initialized yet. Send initialize first.", id)
    }
    return undefined
  }
  /** Replaces an alias by the method's name. */
  const usual = (message: JSONRPCMessage): JSONRPCMessage =>
    isRequest(message) && Object.hasOwn(aliases, message.method)
      ? { ...message, method: aliases[message.method] ?? message.method }
      : message

  /** `give`: for a message of a batch. */
  const receive = (named: JSONRPCMessage, give?: Give) => {
    const given = usual(named)
    const refuse = (problem: JsonRpcMessage.Problem) => (give ?? send)(JsonRpcMessage.refusal(problem))
    const disorder = isRequest(given) ? problem(given) : undefined
    if (disorder !== undefined) return void refuse(disorder)
    // Over HTTP, where a session has an id, single messages without aliases are validated already.
    const isJudged = transport.sessionId !== undefined && give === undefined && given === named
    const judged = isJudged ? Result.succeed(given) : RequestShapes.judge(given, served)
    if (Result.isFailure(judged)) return void refuse(judged.failure)
    const message = judged.success
    ids.heard(message)
    if (isRequest(message)) {
      if (give !== undefined) batched.set(message.id, give)
      return message.method === "initialize" ? begin(message) : run(message)
    }
    if (!isNotification(message)) return answered(message as JsonRpc.JsonRpcSuccess | JsonRpc.JsonRpcFailure)
    if (message.method === "notifications/initialized" && state !== "new") initialized()
    const id = JsonRpc.cancelledBy(message as JsonRpc.JsonRpcNotification)
    if (id !== undefined) cancel(id)
  }

  const takeBatch = Batch.make((entry, give) => {
    if (Result.isFailure(entry)) give(JsonRpcMessage.refusal(entry.failure))
    else receive(entry.success, give)
  })

  const over = () => {
    const fiber = preparing
    preparing = undefined
    fiber?.interruptUnsafe()
    for (const [id, { stop }] of underWay) {
      underWay.delete(id)
      stop?.()
    }
    for (const id of questions.keys()) settle(id, Effect.fail(disconnected))
    closed()
  }

  return {
    start: () => {
      transport.onclose = over
      transport.onerror = () => {}
      transport.onmessage = (message) => receive(message)
      return transport.start()
    },
    notify: send,
    close: () => transport.close().catch(() => {}),
  }
}

const pong: Method = (_, __, reply) => void reply(Result.succeed({}))
const unknown: Method = (_, __, reply) => void reply(Result.fail(notFound))

const errorOf = ({ code, data, message }: ProtocolError) => ({ code, message, ...(data === undefined ? {} : { data }) })
