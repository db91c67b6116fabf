/**
 * What a server and we know each other by: its session and the version of the protocol, as headers of every request.
 */
import { isRecord, type JsonRpcMessage } from "@zain/process/JsonRpc"
import type { ResponseHeaders } from "./HttpChannel.ts"
import { headerOf, type Stage } from "./HttpResponse.ts"

/**
 * - `headers`: of a request with a message
 * - `began`: reads the session's id in the reply to initialize; `false` when it is none
 * - `initialized`: reads the version in the answer to initialize
 * - `opened`: the server has taken the end of the handshake
 * - `isKnown`: whether the server has given us a session to end
 */
export interface HttpSession {
  readonly headers: () => ReadonlyArray<string>
  readonly began: (headers: ResponseHeaders) => boolean
  readonly initialized: (answer: JsonRpcMessage) => void
  readonly opened: () => void
  readonly isKnown: () => boolean
  readonly stage: () => Stage
}

const idHeader = "mcp-session-id"
const visible = /^[!-~]{1,1024}$/

/** Bodies come as they are: what is compressed could be of any size. */
const usual = [
  ...["content-type", "application/json"],
  ...["accept", "application/json, text/event-stream"],
  ...["accept-encoding", "identity"],
]

/**
 * Before the handshake.
 *
 * @param isNamed whether the address itself names the session
 */
export const make = (isNamed = false): HttpSession => {
  let headers: ReadonlyArray<string> = usual
  let isKnown = isNamed
  let isOpen = false
  return {
    headers: () => headers,
    began: (reply) => {
      if (isKnown || reply[idHeader] === undefined) return true
      const id = headerOf(reply, idHeader)
      if (id === undefined || !visible.test(id)) return false
      isKnown = true
      headers = [...headers, idHeader, id]
      return true
    },
    initialized: (answer) => {
      const result = "result" in answer && isRecord(answer.result) ? answer.result : {}
      const version = result["protocolVersion"]
      if (typeof version === "string" && visible.test(version)) headers = [...headers, "mcp-protocol-version", version]
    },
    opened: () => {
      isOpen = true
    },
    isKnown: () => isKnown,
    stage: () => (!isOpen ? "opening" : isKnown ? "session" : "no-session"),
  }
}
