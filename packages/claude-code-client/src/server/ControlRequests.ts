/**
 * Requests to Claude Code beside its prompts, and their answers.
 */
import { randomUUID } from "node:crypto"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import { controlRequest } from "./StreamJson.ts"

/** The requests of one process. */
export interface ControlRequests {
  /** Sends a request. `heard` receives its answer, unless the process ends before. Returns a function that waits no longer. */
  readonly ask: (request: object, heard: (response: JsonObject) => void) => () => void
  /** Receives a response. Returns whether it was to one of these requests. */
  readonly hear: (message: JsonObject) => boolean
}

/** Starts without a request. */
export const make = (send: (message: object) => void): ControlRequests => {
  const asked = new Map<string, (response: JsonObject) => void>()
  return {
    ask: (request, heard) => {
      const id = randomUUID()
      asked.set(id, heard)
      send(controlRequest(id, request))
      return () => void asked.delete(id)
    },
    hear: (message) => {
      const response = recordOf(message, "response")
      const id = textOf(response, "request_id") ?? ""
      const heard = asked.get(id)
      asked.delete(id)
      heard?.(response)
      return heard !== undefined
    },
  }
}
