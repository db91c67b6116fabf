/**
 * Answers the server's requests. A ping is answered, approvals are decided by the session's policy, calls of the session's own
 * tools are made, and every other request is refused. Every request receives exactly one answer under its own id, whatever happens to the turn, the policy and the
 * session: some agents wait forever otherwise.
 *
 * @see docs/internals/promises.md, 23
 */
import type { Turn } from "@zain/core/AgentConnection"
import * as McpApproval from "@zain/core/McpApproval"
import {
  callOf,
  cancelledBy,
  isRecord,
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
  /** Handles `notifications/cancelled` for a request; returns whether that request was open. */
  readonly withdraw: (notification: JsonRpcNotification) => boolean
  /** Declines every open request of a turn, because it has ended. */
  readonly over: (turn: Turn) => void
}

/** How requests are read and answered. */
export interface Options {
  /** How this server requests approvals, if it does. */
  readonly dialect: ApprovalDialect | undefined
  /** Whether the session has tools of its own, which the server may call. */
  readonly hasTools: boolean
  /** Sends an answer over the wire. */
  readonly send: (message: JsonRpcMessage) => unknown
  /** The context in which policies run. */
  readonly context: Context.Context<never>
}

/** How many requests may be open at once; more is a faulty or hostile server. */
export const maxAtOnce = 64

/** `work`: what makes the result. `refused`: the result without it, for this reason. */
interface Task {
  readonly work: (turn: Turn) => Effect.Effect<() => unknown>
  readonly refused: (why: string) => unknown
}

/** `stop` interrupts the work. */
interface Question extends Pick<Task, "refused"> {
  readonly id: JsonRpcId
  readonly turn: Turn
  stop: () => void
}

/** Starts without open requests. */
export const make = ({ context, dialect, hasTools, send }: Options): ServerRequests => {
  const waiting = new Set<Question>()
  const run = Effect.runForkWith(context)

  const refuse = (id: JsonRpcId, code: number, message: string) =>
    send({ jsonrpc: "2.0", id, error: { code, message } })
  const reply = (id: JsonRpcId, make: () => unknown) => {
    let result: unknown
    try {
      result = make()
    } catch {
      return refuse(id, -32603, "Internal error")
    }
    return send({ jsonrpc: "2.0", id, result })
  }
  /** The first result is sent; later ones are ignored. */
  const settle = (question: Question, make: () => unknown) => {
    if (waiting.delete(question)) reply(question.id, make)
  }
  const taskOf = ({ method, params }: JsonRpcRequest): Task | undefined => {
    if (hasTools && method === toolCall) return callOfTool(params)
    const request = dialect?.read(method, params)
    if (request === undefined) return undefined
    return {
      work: (turn) => Effect.map(turn.approve(request), (decision) => () => dialect?.write(decision)),
      refused: (why) => dialect?.write(McpApproval.decline(why)),
    }
  }

  return {
    callOf: (request) => callOf(request) ?? dialect?.callOf?.(request.params),
    take: (request, turn) => {
      const { id, method } = request
      if (method === "ping") return void send({ jsonrpc: "2.0", id, result: {} })
      const task = taskOf(request)
      if (task === undefined) return void refuse(id, -32601, "Method not found")
      const { refused, work } = task
      if (turn === undefined) return void reply(id, () => refused(noTurn))
      if (waiting.size >= maxAtOnce) return void reply(id, () => refused(tooMany))
      const question: Question = { id, turn, refused, stop: () => {} }
      waiting.add(question)
      // The work begins immediately, and may end the turn of this request.
      const fiber = run(work(turn))
      question.stop = () => fiber.interruptUnsafe()
      fiber.addObserver((exit) => settle(question, Exit.isSuccess(exit) ? exit.value : () => refused(undecided)))
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
        settle(question, () => question.refused(turnOver))
        question.stop()
      }
    },
  }
}

/** The request of an agent server to call a tool of the session's own. */
export const toolCall = "zain/tool"

/** `turn.callTool` checks the name and the arguments. */
const callOfTool = (params: unknown): Task => {
  const { arguments: args, name }: Readonly<Record<string, unknown>> = isRecord(params) ? params : {}
  return {
    work: (turn) =>
      Effect.map(
        turn.callTool(typeof name === "string" ? name : "", args ?? {}),
        ({ isError, text }) =>
          () =>
            resultOf(text, isError),
      ),
    refused: (why) => resultOf(why, true),
  }
}

/** The form of MCP's `CallToolResult`. */
const resultOf = (text: string, isError: boolean) => ({ content: [{ type: "text", text }], isError })

const noTurn = "This request belongs to no turn under way."
const turnOver = "The turn ended before the request was answered."
const tooMany = "Too many requests are open."
const undecided = "The request was not decided."
