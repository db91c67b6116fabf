/**
 * The session id and the protocol version, as headers of every request.
 */
import { hash } from "node:crypto"
import { isRecord, type JsonRpcMessage } from "@zain/process/JsonRpc"
import type { ResponseHeaders } from "./HttpChannel.ts"
import { headerOf, type Stage } from "./HttpResponse.ts"

/** The session of one wire. */
export interface HttpSession {
  /** The headers of a request with a message. */
  readonly headers: () => ReadonlyArray<string>
  /** Reads the session id in the response to `initialize`; returns false for an invalid id. */
  readonly began: (headers: ResponseHeaders) => boolean
  /** Reads the protocol version and the name of the server in the answer to `initialize`. */
  readonly initialized: (answer: JsonRpcMessage) => void
  /** A digest of the server's name and version, which may be long. */
  readonly server: () => string
  /** Called when the server has accepted the last message of the handshake. */
  readonly opened: () => void
  /** Whether the server has a session to delete. */
  readonly isKnown: () => boolean
  /** The stage of the session, which decides the reason of errors. */
  readonly stage: () => Stage
}

const idHeader = "mcp-session-id"
const visible = /^[!-~]{1,1024}$/

/** Responses must not be compressed: a small compressed body could expand to any size. */
const usual = [
  ...["content-type", "application/json"],
  ...["accept", "application/json, text/event-stream"],
  ...["accept-encoding", "identity"],
]

/**
 * Makes a session before its handshake.
 *
 * @param isNamed whether the URL itself identifies the session
 */
export const make = (isNamed = false): HttpSession => {
  let headers: ReadonlyArray<string> = usual
  let server = ""
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
      const info = isRecord(result["serverInfo"]) ? result["serverInfo"] : {}
      server = hash("sha256", JSON.stringify([info["name"], info["version"]]), "base64")
      const version = result["protocolVersion"]
      if (typeof version === "string" && visible.test(version)) headers = [...headers, "mcp-protocol-version", version]
    },
    server: () => server,
    opened: () => {
      isOpen = true
    },
    isKnown: () => isKnown,
    stage: () => (!isOpen ? "opening" : isKnown ? "session" : "no-session"),
  }
}
