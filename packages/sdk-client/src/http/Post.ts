/**
 * A message that is posted, and whose answer, if there is one, comes another way.
 */
import type { McpError } from "@zain/core/McpError"
import { isCall, isRequest, type JsonRpcMessage } from "@zain/process/JsonRpc"
import type { Redactor } from "@zain/process/Redactor"
import type { HttpChannel } from "./HttpChannel.ts"
import * as HttpResponse from "./HttpResponse.ts"
import type { HttpSession } from "./HttpSession.ts"

/** What a server is called, and what every request to it needs. `url`: where to post. */
export interface Posting {
  readonly channel: HttpChannel
  readonly session: HttpSession
  readonly server: string
  readonly redact: Redactor
  readonly url: () => URL
}

/**
 * - `taken`: the server has the message
 * - `wrong`: it has not, or nobody knows
 * - `done`: its connection is free, or given up
 */
export interface Outcome {
  readonly taken: () => void
  readonly wrong: (error: McpError) => void
  readonly done: () => void
}

/**
 * Posts a message.
 *
 * @param limit the longest silence of the server, in milliseconds; none by default
 * @returns gives it up
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
  const body = JSON.stringify(message)
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
