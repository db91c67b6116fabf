/**
 * Posts a message whose answer, if any, arrives on another stream.
 */
import type { McpError } from "@zain/core/McpError"
import { isCall, isRequest, type JsonRpcMessage } from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import type { Redactor } from "@zain/process/Redactor"
import type { HttpChannel } from "./HttpChannel.ts"
import * as HttpResponse from "./HttpResponse.ts"
import type { HttpSession } from "./HttpSession.ts"

/** The server and the session of posted messages; `url` is the current URL to post to. */
export interface Posting {
  readonly channel: HttpChannel
  readonly session: HttpSession
  readonly server: string
  readonly redact: Redactor
  readonly url: () => URL
}

/** Receives the outcome of a posted message. */
export interface Outcome {
  /** Called when the server has accepted the message. */
  readonly taken: () => void
  /** Called when the server has not accepted the message, or may not have. */
  readonly wrong: (error: McpError) => void
  /** Called when the connection is free or closed. */
  readonly done: () => void
}

/**
 * Posts a message.
 *
 * @param limit how long the server may send nothing, in milliseconds; unlimited by default
 * @returns a function that aborts the request
 */
export const send = (
  { channel, redact, server, session, url }: Posting,
  message: JsonRpcMessage,
  { done, taken, wrong }: Outcome,
  limit = 0,
): (() => void) => {
  const failed = (error: McpError) => {
    wrong(error)
    done()
  }
  const once = isRequest(message) && isCall(message)
  const body = JsonText.write(message)
  const request = { method: "POST", url: url(), headers: session.headers(), body, once, limit } as const
  return HttpResponse.exchange(channel, request, redact, {
    accepted: (_status, _headers, giveUp) => {
      taken()
      return HttpResponse.brief(giveUp, done)
    },
    refused: (refusal) => failed(HttpResponse.refusalError(server, refusal, session.stage())),
    failed: (problem) => failed(HttpResponse.problemError(server, problem, session.stage())),
  })
}
