/**
 * Enforces the order and the ids of a session's messages, which the SDK does not.
 *
 * - `initialize` must come first and once. The server's work before its answer is waited for.
 * - An id belongs to one request at a time.
 * - The server's own requests have ids that cannot be guessed. The SDK would count from 0, and does not cancel a request 0.
 *
 * @see Model Context Protocol 2025-11-25, lifecycle; docs/internals/promises.md, 21
 */
import { randomBytes } from "node:crypto"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  type ClientCapabilities,
  type Implementation,
  type InitializeRequest,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  type MessageExtraInfo,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Batch from "./Batch.ts"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"
import type { PacedTransport } from "./PacedTransport.ts"
import * as RequestIds from "./RequestIds.ts"
import * as RequestShapes from "./RequestShapes.ts"

/** The internal id of a client's request 0, which the SDK would not cancel. */
const zero = `${randomBytes(16).toString("hex")}-0`

const inward = (id: RequestId): RequestId => (id === 0 ? zero : id)

/** Returns the client's own id of a request. */
export const givenId = (id: RequestId): RequestId => (id === zero ? 0 : id)

// Every message has been validated before; the SDK's type guards would validate it again.
const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message
const isNotification = (message: JSONRPCMessage): message is JSONRPCNotification => !("id" in message)

/** The parameters of a client's `initialize`. */
export interface Hello {
  readonly clientInfo: Implementation
  readonly capabilities: ClientCapabilities
  /** The negotiated revision of MCP. */
  readonly protocolVersion: string
}

/** Runs before `initialize` is answered. The members of its value are added to the answer. */
export type BeforeInitialize = (hello: Hello) => Fiber.Fiber<Readonly<Record<string, unknown>>> | undefined

const helloOf = ({ params }: JSONRPCRequest): Hello => {
  const { capabilities, clientInfo, protocolVersion } = params as InitializeRequest["params"]
  const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)
  return { capabilities, clientInfo, protocolVersion: isKnown ? protocolVersion : LATEST_PROTOCOL_VERSION }
}

/** The rules of one session. */
export interface Rules {
  /** The methods that require an initialized session. */
  readonly served: ReadonlySet<string>
  /** Other names of methods, and the names they stand for. */
  readonly aliases: Readonly<Record<string, string>>
  /** Whether sessions of MCP 2025-03-26 and older accept batches. */
  readonly takesBatches: boolean
  /** Runs before `initialize` is answered. */
  readonly before: BeforeInitialize
}

/** Answers an entry of a batch. */
type Give = (answer: object) => void

/** Wraps a transport: rejects requests out of order, and translates ids and method names. */
export const guard = (inner: PacedTransport, { aliases, before, served, takesBatches }: Rules): Transport => {
  const prefix = `${randomBytes(16).toString("hex")}-`
  const ids = RequestIds.make()
  /** The requests under way that belong to a batch. */
  const batched = new Map<unknown, Give>()
  let initialize: RequestId | undefined
  let isDone = false
  let protocolVersion = ""
  let preparing: ReturnType<BeforeInitialize>
  /** Additional members of the answer to `initialize`. */
  let members: Readonly<Record<string, unknown>> = {}

  /** The problem of a request that is out of order. */
  const problem = (request: JSONRPCRequest): JsonRpcMessage.Problem | undefined => {
    const { id, method } = request
    if (ids.isTaken(request)) return RequestIds.taken
    if (ids.wasCancelled(request)) return RequestIds.cancelled(id)
    if (method === "initialize" && initialize !== undefined) {
      return JsonRpcMessage.invalid("This session is initialized already.", id)
    }
    if (initialize === undefined && served.has(method)) {
      return JsonRpcMessage.invalid("This session is not initialized yet. Send initialize first.", id)
    }
    return undefined
  }
  // The SDK's types have no answer without an id.
  const answer: Give = (given) => void inner.send(given as JSONRPCMessage).catch(() => {})

  /** Answers a request of a batch; false for any other. */
  const gave = (id: unknown, given: object): boolean => {
    const give = batched.get(id)
    batched.delete(id)
    give?.(given)
    return give !== undefined
  }

  /** Replaces an alias by the method's name. */
  const usual = (message: JSONRPCMessage): JSONRPCMessage =>
    isRequest(message) && Object.hasOwn(aliases, message.method)
      ? { ...message, method: aliases[message.method] ?? message.method }
      : message

  /** Translates a client's message for the SDK; `undefined` if it was answered or is ignored. `give`: for one of a batch. */
  const heard = (named: JSONRPCMessage, give: Give | undefined): JSONRPCMessage | undefined => {
    const given = usual(named)
    const refuse = (problem: JsonRpcMessage.Problem) => (give ?? answer)(JsonRpcMessage.refusal(problem))
    const disorder = isRequest(given) ? problem(given) : undefined
    if (disorder !== undefined) return void refuse(disorder)
    // Over HTTP, where a session has an id, single messages without aliases are validated already.
    const isJudged = inner.sessionId !== undefined && give === undefined && given === named
    const judged = isJudged ? Result.succeed(given) : RequestShapes.judge(given, served)
    if (Result.isFailure(judged)) return void refuse(judged.failure)
    const message = judged.success
    ids.heard(message)
    if (isRequest(message)) {
      if (message.method === "initialize") initialize = message.id
      if (give !== undefined) batched.set(message.id, give)
      return { ...message, id: inward(message.id) }
    }
    if (isNotification(message)) {
      if (message.method !== cancelled) return message
      const requestId = message.params?.["requestId"]
      // A cancelled request receives no answer from the SDK, and its batch waits for every answer.
      gave(requestId, JsonRpcMessage.refusal(RequestIds.cancelled(requestId as RequestId)))
      return requestId === 0 ? { ...message, params: { ...message.params, requestId: zero } } : message
    }
    const { id } = message
    return typeof id === "string" && id.startsWith(prefix)
      ? { ...message, id: Number(id.slice(prefix.length)) }
      : undefined
  }

  /** Translates a message of the SDK for the client. */
  const said = (message: JSONRPCMessage): JSONRPCMessage => {
    if (isRequest(message)) return { ...message, id: `${prefix}${message.id}` }
    if (isNotification(message)) {
      if (message.method !== cancelled) return message
      return { ...message, params: { ...message.params, requestId: `${prefix}${message.params?.["requestId"]}` } }
    }
    const id = message.id === undefined ? undefined : givenId(message.id)
    ids.said({ ...message, id } as JSONRPCMessage)
    if (!isDone && id === initialize) {
      // A failed handshake may be repeated.
      if ("error" in message) initialize = undefined
      else {
        isDone = true
        if (takesBatches && Batch.isPartOf(protocolVersion)) inner.onbatch = takeBatch
        if ("result" in message) return { ...message, id, result: { ...message.result, ...members } } as JSONRPCMessage
      }
    }
    return { ...message, ...(id === undefined ? {} : { id }) } as JSONRPCMessage
  }

  const receive = (given: JSONRPCMessage, extra?: MessageExtraInfo, give?: Give) => {
    const kept = heard(given, give)
    if (kept === undefined) return
    if (!isRequest(kept) || kept.method !== "initialize") return outer.onmessage?.(kept, extra)
    const hello = helloOf(kept)
    protocolVersion = hello.protocolVersion
    const fiber = before(hello)
    if (fiber === undefined) return outer.onmessage?.(kept, extra)
    preparing = fiber
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit)) members = exit.value
      // A disconnected client receives no answer; after a defect the client still receives one.
      if (preparing === fiber) outer.onmessage?.(kept, extra)
    })
  }

  const takeBatch = Batch.make((entry, give) => {
    if (Result.isFailure(entry)) give(JsonRpcMessage.refusal(entry.failure))
    else receive(entry.success, undefined, give)
  })

  const outer: Transport = {
    start: () => {
      inner.onclose = () => {
        const fiber = preparing
        preparing = undefined
        fiber?.interruptUnsafe()
        outer.onclose?.()
      }
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onmessage = (message, extra) => receive(message, extra)
      return inner.start()
    },
    send: async (given, options) => {
      const related = options?.relatedRequestId
      const message = said(given)
      if (!("method" in message) && gave(message.id, message)) return
      return inner.send(message, related === undefined ? options : { ...options, relatedRequestId: givenId(related) })
    },
    close: () => inner.close(),
    get sessionId() {
      return inner.sessionId
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  }
  return outer
}

const cancelled = "notifications/cancelled"
