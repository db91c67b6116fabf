/**
 * What a server asks of its client. A ping is answered, approvals are decided by the session's policy, all else is
 * refused. Every request gets one answer, under its own id, whatever becomes of the turn, of the policy and of the
 * session: some agents wait for ever otherwise.
 *
 * @see promise 23
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

/**
 * - `callOf`: the call that a request belongs to, where it says so
 * - `take`: answers a request, now or later. `turn`: the one under way that it may belong to
 * - `withdraw`: takes word that the server does not wait for a decision any more, and says whether it did
 * - `over`: declines whatever the turn still waits for
 */
export interface ServerRequests {
  readonly callOf: (request: JsonRpcRequest) => string | undefined
  readonly take: (request: JsonRpcRequest, turn: Turn | undefined) => void
  readonly withdraw: (notification: JsonRpcNotification) => boolean
  readonly over: () => void
}

/**
 * - `dialect`: how this server asks for approvals, if it does
 * - `send`: puts an answer on the wire
 * - `context`: what policies run in
 */
export interface Options {
  readonly dialect: ApprovalDialect | undefined
  readonly send: (message: JsonRpcMessage) => unknown
  readonly context: Context.Context<never>
}

/** More than this at once is no agent at work. */
export const mostAtOnce = 64

/** `stop`: tells whoever decides that nobody waits any more. */
interface Question {
  readonly id: JsonRpcId
  stop: () => void
}

/** Nothing is asked yet. */
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
  /** Whoever comes first answers. */
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
      const question: Question = { id, stop: () => {} }
      waiting.add(question)
      // Whoever decides runs at once, and may end the very turn that asks.
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
    over: () => {
      if (waiting.size === 0) return
      for (const question of waiting) {
        settle(question, McpApproval.decline(turnOver))
        question.stop()
      }
    },
  }
}

const noTurn = "No turn is under way that this belongs to."
const turnOver = "The turn is over, and nobody decides for it any more."
const tooMany = "Too many questions at once."
const undecided = "Nobody decided."
