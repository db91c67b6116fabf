/**
 * One request over Streamable HTTP: a POST, its response body up to the answer, and its resumptions.
 */
import type { McpError } from "@zain/core/McpError"
import type * as JsonBounds from "@zain/process/JsonBounds"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import type { BufferedListener } from "../BufferedListener.ts"
import * as Failure from "../Failure.ts"
import type { HttpTarget } from "../McpWire.ts"
import type { ResponseHeaders } from "./HttpChannel.ts"
import * as HttpResponse from "./HttpResponse.ts"
import type { InFlightRequest, InFlightRequests } from "./InFlightRequests.ts"
import * as MessageBody from "./MessageBody.ts"
import type { Posting } from "./Post.ts"
import * as Resumption from "./Resumption.ts"

/** A request that waits for its answer. */
export interface StreamableHttpCall extends InFlightRequest {
  readonly resumption: Resumption.Resumption
  readonly isInitialize: boolean
  readonly isPrompt: boolean
  answered: boolean
}

/** The state that the calls of one wire share. */
export interface Shared extends Posting {
  readonly target: HttpTarget
  /** The calls under way. */
  readonly calls: InFlightRequests<StreamableHttpCall>
  readonly listener: BufferedListener
  /** Makes the error of a message that exceeds the bounds. */
  readonly tooLarge: (excess: JsonBounds.Excess | undefined) => McpError
  /** Called when the server has ended the session. */
  readonly end: (error: McpError) => void
}

/** Sends a request. Its messages and its failure go to the listener. */
export const start = (shared: Shared, request: JsonRpc.JsonRpcRequest): void => {
  const call: StreamableHttpCall = {
    id: request.id,
    isInitialize: request.method === "initialize",
    isPrompt: JsonRpc.isCall(request),
    answered: false,
    resumption: Resumption.make(),
    abort() {},
  }
  shared.calls.add(call)
  attempt(shared, call, JsonText.write(request))
}

const aboutOf = ({ server }: Shared): Failure.About => ({ server, delivery: "unknown" })

const fail = ({ calls, listener }: Shared, call: StreamableHttpCall, error: McpError) => {
  calls.drop(call)
  listener.failed(error, call.id)
}

const violation = (shared: Shared, what: string) =>
  HttpResponse.violation(aboutOf(shared), what, shared.session.stage())

/** Sends the request; without a body, requests the rest of its response. */
const attempt = (shared: Shared, call: StreamableHttpCall, body?: string) => {
  const { calls, channel, end, redact, server, session, url } = shared
  const isFirst = body !== undefined
  const request = isFirst
    ? { method: "POST" as const, url: url(), headers: session.headers(), once: call.isPrompt, body }
    : { method: "GET" as const, url: url(), headers: [...session.headers(), ...call.resumption.headers()] }
  call.abort = HttpResponse.exchange(channel, request, redact, {
    accepted: (status, headers) => accept(shared, call, status, headers),
    refused: (refusal) => {
      const error = HttpResponse.refusalError(server, refusal, session.stage())
      const reported = isFirst ? error : lost(shared, error)
      if (reported.reason === "session-expired") end(reported)
      else fail(shared, call, reported)
    },
    failed: (problem) => {
      if (call.answered) return calls.ended(call)
      const error = HttpResponse.problemError(server, problem, session.stage())
      resume(shared, call, isFirst ? error : lost(shared, error))
    },
  })
}

/** The error of a call that cannot be resumed; the server had accepted it. */
const lost = (shared: Shared, error: McpError): McpError =>
  error._tag === "ConnectionUnavailable" && error.reason !== "protocol-violation"
    ? Failure.delivered(error, "unknown")
    : Failure.connectionLost({ ...aboutOf(shared), cause: error })

/** Resumes a response that ended before the answer, if the server sent an event id. */
const resume = (shared: Shared, call: StreamableHttpCall, error: McpError) => {
  const again = call.resumption.again(() => attempt(shared, call))
  if (again === undefined) fail(shared, call, error)
  else call.abort = again
}

/** Reads the body of a successful response. */
const accept = (shared: Shared, call: StreamableHttpCall, status: number, headers: ResponseHeaders) => {
  const { calls, session, target } = shared
  const refuse = (what: string) => {
    fail(shared, call, violation(shared, what))
    return HttpResponse.ignored
  }
  if (call.isInitialize && !session.began(headers))
    return refuse("its session id is not 1 to 1,024 visible ASCII characters")
  const compressed = HttpResponse.compression(headers)
  if (compressed !== undefined) return refuse(compressed)
  const listener = bodyOf(shared, call)
  switch (HttpResponse.typeOf(headers)) {
    case "application/json":
      return MessageBody.json(target, listener)
    case "text/event-stream":
      return MessageBody.stream(target, {
        ...listener,
        ...call.resumption,
        end: () => (call.answered ? calls.ended(call) : resume(shared, call, Failure.connectionLost(aboutOf(shared)))),
      })
    default:
      return refuse(`it answers a request with HTTP ${status} and ${HttpResponse.insteadOf(headers)}`)
  }
}

const bodyOf = (shared: Shared, call: StreamableHttpCall): MessageBody.MessageListener => {
  const { calls, listener, session, tooLarge } = shared
  return {
    message: (message) => {
      // A message after the answer belongs to no turn, and must not reach the next one.
      if (call.answered || calls.get(call.id) !== call) return
      if (JsonRpc.isAnswer(message) && message.id === call.id) {
        call.answered = true
        calls.answered(call)
        if (call.isInitialize) session.initialized(message)
      }
      listener.message(message)
    },
    oversize: (excess) => fail(shared, call, tooLarge(excess)),
    end: () => {
      if (call.answered) calls.ended(call)
      else fail(shared, call, violation(shared, "its response has no answer to the request"))
    },
  }
}
