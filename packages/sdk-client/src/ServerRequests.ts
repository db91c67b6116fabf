/**
 * Answers the server's requests. A ping is answered, approvals are decided by the session's policy, and every other request
 * is refused. Every request receives exactly one answer under its own id, whatever happens to the turn, the policy and the
 * session: some agents wait forever otherwise.
 *
 * @see docs/internals/promises.md, 23
 */
import type { Turn } from "@zain/core/AgentConnection"
import * as McpApproval from "@zain/core/McpApproval"
import {
  callOf,
  cancelledBy,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
} from "@zain/process/JsonRpc"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ApprovalDialect } from "./AgentProfile.ts"

/** The open requests of one server. */
export interface ServerRequests {
  /** Returns the id of the call that a request belongs to, if the request names it. */
  readonly callOf: (request: JsonRpcRequest) => string | undefined
  /** Answers a request, now or later. `turn` is the turn under way that it may belong to. */
  readonly take: (request: JsonRpcRequest, turn: Turn | undefined) => void
  /** Handles `notifications/cancelled` for an approval; returns whether that approval was open. */
  readonly withdraw: (notification: JsonRpcNotification) => boolean
  /** Declines every open approval of a turn, because it has ended. */
  readonly over: (turn: Turn) => void
}

/** How requests are read and answered. */
export interface Options {
  /** How this server requests approvals, if it does. */
  readonly dialect: ApprovalDialect | undefined
  /** Sends an answer over the wire. */
  readonly send: (message: JsonRpcMessage) => unknown
  /** The context in which policies run. */
  readonly context: Context.Context<never>
}

/** How many approvals may be open at once; more is a faulty or hostile server. */
export const mostAtOnce = 64

/** `stop` interrupts the policy. */
interface Question {
  readonly id: JsonRpcId
  readonly turn: Turn
  stop: () => void
}

/** Starts without open requests. */
export const make = ({ context, dialect, send }: Options): ServerRequests => {
  const waiting = new Set<Question>()
  const run = Effect.runForkWith(context)

  const refuse = (id: JsonRpcId, code: number, message: string) =>
    send({ jsonrpc: "2.0", id, error: { code, message } })
  const reply = (id: JsonRpcId, decision: McpApproval.McpApprovalReply) => {
    let result: unknown
    try {
      result = dialect?.write(decision)
    } catch {
      return refuse(id, -32603, "Internal error")
    }
    return send({ jsonrpc: "2.0", id, result })
  }
  /** The first decision is sent; later ones are ignored. */
  const settle = (question: Question, decision: McpApproval.McpApprovalReply) => {
    if (waiting.delete(question)) reply(question.id, decision)
  }

  return {
    callOf: (request) => callOf(request) ?? dialect?.callOf?.(request.params),
    take: ({ id, method, params }, turn) => {
      if (method === "ping") return void send({ jsonrpc: "2.0", id, result: {} })
      const request = dialect?.read(method, params)
      if (request === undefined) return void refuse(id, -32601, "Method not found")
      if (turn === undefined) return void reply(id, McpApproval.decline(noTurn))
      if (waiting.size >= mostAtOnce) return void reply(id, McpApproval.decline(tooMany))
      const question: Question = { id, turn, stop: () => {} }
      waiting.add(question)
      // The policy runs immediately, and may end the turn of this request.
      const fiber = run(turn.approve(request))
      question.stop = () => fiber.interruptUnsafe()
      fiber.addObserver((exit) => settle(question, Exit.isSuccess(exit) ? exit.value : McpApproval.decline(undecided)))
      if (!waiting.has(question)) question.stop()
    },
    withdraw: (notification) => {
      if (waiting.size === 0) return false
      const id = cancelledBy(notification)
      const questions = [...waiting].filter((question) => question.id === id)
      for (const question of questions) {
        waiting.delete(question)
        question.stop()
      }
      return questions.length > 0
    },
    over: (turn) => {
      if (waiting.size === 0) return
      for (const question of waiting) {
        if (question.turn !== turn) continue
        settle(question, McpApproval.decline(turnOver))
        question.stop()
      }
    },
  }
}

const noTurn = "This request belongs to no turn under way."
const turnOver = "The turn ended before the approval was decided."
const tooMany = "Too many approval requests are open."
const undecided = "The approval policy made no decision."
