/**
 * A fake of an agent's MCP server: JSON-RPC in, JSON-RPC out, over any transport. This module imports nothing of the
 * workspace at run time, so that it also runs as a process of its own.
 */
import type { JsonRpcId, JsonRpcMessage } from "@zain/process/JsonRpc"
import { type Behaviour, isObject, type JsonObject, type Outcome } from "./FakeDialect.ts"
import type { Sighting } from "./PeerObservation.ts"

/**
 * The transport of a server.
 *
 * - `send`: sends a message. `about`: the request that it answers or belongs to
 * - `saw`: records what arrived, before the server acts on it
 * - `exit`: ends the server
 */
export interface Surroundings {
  readonly send: (message: JsonRpcMessage, about: JsonRpcId) => void
  readonly saw: (sighting: Sighting) => void
  readonly exit: () => void
}

/** `receive` handles a message of the client. `idle` resolves when no call is running. */
export interface FakeServer {
  readonly receive: (message: unknown) => void
  readonly idle: () => Promise<void>
}

/** Makes a server that speaks one agent's dialect. */
export const make = (dialect: Behaviour, surroundings: Surroundings): FakeServer => {
  const { saw, send } = surroundings
  const underWay = new Map<JsonRpcId, { readonly abort: () => void; prompt: string | undefined }>()
  const asked = new Map<JsonRpcId, (answer: unknown) => void>()
  let waiting: Array<() => void> = []
  let questions = 0

  const respond = (id: JsonRpcId, outcome: Outcome) => {
    if (outcome !== undefined) send({ jsonrpc: "2.0", id, ...outcome }, id)
  }

  const callTool = async (id: JsonRpcId, params: JsonObject) => {
    const controller = new AbortController()
    const { signal } = controller
    const entry = { abort: () => controller.abort(), prompt: undefined as string | undefined }
    underWay.set(id, entry)
    const meta = isObject(params["_meta"]) ? params["_meta"] : {}
    const outcome = await dialect.call(String(params["name"]), params["arguments"], {
      id,
      signal,
      progressToken: meta["progressToken"],
      cancelled: new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
      prompt: (text) => {
        entry.prompt = text
        saw({ what: "received", prompt: text })
      },
      answerFor: respond,
      exit: surroundings.exit,
      notify: (method, content) => send({ jsonrpc: "2.0", method, params: content }, id),
      ask: (method, content) =>
        new Promise((resolve) => {
          const question = questions++
          asked.set(question, resolve)
          send({ jsonrpc: "2.0", id: question, method, params: content }, id)
        }),
    })
    if (!signal.aborted) respond(id, outcome)
    underWay.delete(id)
    if (underWay.size > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }

  const answer = (method: string, params: JsonObject): Outcome => {
    if (dialect.deaf?.has(method) === true) return undefined
    if (method === "initialize") return dialect.initialize(params)
    if (method === "ping") return { result: {} }
    if (method === "tools/list") return { result: { tools: dialect.tools } }
    return { error: { code: -32601, message: "Method not found" } }
  }

  const notification = (method: string, params: JsonObject) => {
    const call = method === "notifications/cancelled" ? underWay.get(params["requestId"] as JsonRpcId) : undefined
    if (call === undefined) return
    if (call.prompt !== undefined) saw({ what: "cancelled", prompt: call.prompt })
    call.abort()
  }

  return {
    receive: (message) => {
      if (!isObject(message)) return
      const { id, method } = message
      const params = isObject(message["params"]) ? message["params"] : {}
      if (typeof method !== "string") {
        if ("result" in message) asked.get(id as JsonRpcId)?.(message["result"])
        return
      }
      if (typeof id === "string" || typeof id === "number") {
        if (method === "tools/call") void callTool(id, params)
        else respond(id, answer(method, params))
      } else notification(method, params)
    },
    idle: () => (underWay.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  }
}
