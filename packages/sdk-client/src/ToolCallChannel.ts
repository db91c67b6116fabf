/**
 * The hot path: sends tool calls and reads their notifications directly on the wire, without the SDK.
 *
 * @see docs/guides/write-an-adapter.md
 */
import { randomUUID } from "node:crypto"
import type { Turn, TurnTrace } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import {
  callOf,
  cancellation,
  isRequest,
  type JsonRpcFailure,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcSuccess,
} from "@zain/process/JsonRpc"
import type { Redactor } from "@zain/process/Redactor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AgentSession, ToolCall, ToolResult } from "./AgentProfile.ts"
import * as Failure from "./Failure.ts"
import type { McpWire } from "./McpWire.ts"
import type { ServerRequests } from "./ServerRequests.ts"
import * as ToolCallAnswer from "./ToolCallAnswer.ts"

/** The tool calls of one session, one at a time. */
export interface ToolCallChannel {
  /** Sends a call and reads its result. Interrupting it cancels the call at the server. */
  readonly call: <A>(
    make: () => Result.Result<ToolCall, McpError>,
    turn: Turn,
    read: (result: ToolResult) => Effect.Effect<A, McpError>,
  ) => Effect.Effect<A, McpError>
  /** Sends another request and reads its result. Interrupting it cancels the request at the server. */
  readonly ask: (
    method: string,
    params: Readonly<Record<string, unknown>>,
  ) => Effect.Effect<Readonly<Record<string, unknown>>, McpError>
  /** The id of the call under way. */
  readonly underWay: () => string | undefined
  /** Fails the call under way with this error and cancels it at the server. A call that was not sent yet is never sent. */
  readonly abort: (error: McpError) => void
  /** Cancels the calls that have answered and go on. Call it before the wire closes. */
  readonly end: () => void
}

/** The wire of a channel, and the receivers of its messages. */
export interface Options {
  readonly wire: McpWire
  /** The server's name in messages. */
  readonly server: string
  /** Removes secrets from the server's messages. */
  readonly redact: Redactor
  readonly event: (notification: JsonRpcNotification) => McpEventContent | undefined
  readonly heard: AgentSession["heard"]
  readonly answered: AgentSession["answered"]
  /** Makes what answers the server's requests; called at the first. */
  readonly requests: () => ServerRequests
  /** Receives every other message that belongs to no call. */
  readonly other: (message: JsonRpcMessage) => void
  /** Called when a call is cancelled before its result is read. */
  readonly cut: () => void
  /** Called when a message could not be read while no call was under way. */
  readonly failed: (error: McpError) => void
  /** Called when the wire has ended. */
  readonly ended: (error: McpError) => void
}

interface Pending {
  readonly id: string
  readonly turn: Turn
  /** Reads a result, and returns what resumes the caller. If it throws, the wire ends. */
  readonly read: (result: ToolResult) => () => void
  readonly fail: (error: McpError) => void
}

/** Makes a channel and becomes the wire's listener. */
export const make = (options: Options): ToolCallChannel => {
  const { answered, cut, ended, event, failed, heard, other, redact, requests, server, wire } = options
  let open: ServerRequests | undefined
  const prefix = randomUUID().replaceAll("-", "")
  let count = 0
  let last = ""
  let pending: Pending | undefined
  /** The calls that have answered, and whose work goes on. */
  let kept: Map<string, Pending> | undefined
  /** The other requests under way; made by the first. */
  let asked: Map<string, (answer: ReturnType<typeof ToolCallAnswer.readAny>) => void> | undefined
  let death: McpError | undefined
  /** The error of `abort` for a call that was made and not sent yet. */
  let stopped: McpError | undefined

  /** Ends the call under way, and its open approvals. */
  const leave = () => {
    if (pending !== undefined) open?.over(pending.turn)
    pending = undefined
  }
  /** Ends a call that has answered. */
  const over = (call: Pending) => {
    if (!kept?.delete(call.id)) return
    open?.over(call.turn)
    call.turn.over()
  }
  const inTurn = (id: string | undefined) => (id === undefined || id === pending?.id ? pending : kept?.get(id))
  const fail = (error: McpError) => {
    const call = pending
    leave()
    call?.fail(error)
  }
  const isMine = (id: JsonRpcId | null): id is string => typeof id === "string" && id.startsWith(prefix)

  const notify = (notification: JsonRpcNotification) => {
    if (open?.withdraw(notification)) return
    // A notification that names no call belongs to the turn under way.
    const id = callOf(notification) ?? pending?.id
    const threadId = heard !== undefined && id === last ? heard(notification) : undefined
    if (threadId !== undefined && id === pending?.id) pending?.turn.emit({ _tag: "ThreadStarted", threadId })
    const call = id === undefined ? undefined : inTurn(id)
    if (call === undefined) {
      if (id === undefined) other(notification)
      return
    }
    const early = call === pending ? answered?.(notification) : undefined
    if (early !== undefined) return answer(call.id, { jsonrpc: "2.0", id: call.id, result: early }, true)
    const { beat, emit, observed } = call.turn
    const content = observed() ? event(notification) : undefined
    if (content === undefined) beat()
    else emit(content)
  }

  /** @param goesOn whether the call has answered, and its work goes on */
  const answer = (id: string, message: JsonRpcSuccess | JsonRpcFailure, goesOn = false) => {
    const settled = asked?.get(id)
    if (settled !== undefined) return settled(ToolCallAnswer.readAny(message, server, redact))
    const before = kept?.get(id)
    if (before !== undefined) return over(before)
    if (pending?.id !== id) return
    const code = ToolCallAnswer.codeOf(message)
    if (code !== undefined) pending.turn.trace?.refused(code)
    const result = ToolCallAnswer.read(message, server, redact)
    if (Result.isFailure(result)) return goesOn ? abort(result.failure) : fail(result.failure)
    const settle = pending.read(result.success)
    if (goesOn) {
      kept ??= new Map()
      kept.set(id, pending)
      pending.turn.keep()
      pending = undefined
    } else leave()
    settle()
  }

  wire.listen({
    message: (message) => {
      if (!("id" in message)) return notify(message)
      if (isRequest(message)) {
        open ??= requests()
        const turn = inTurn(open.callOf(message))?.turn
        turn?.beat()
        return open.take(message, turn)
      }
      if (isMine(message.id)) return answer(message.id, message)
      pending?.turn.beat()
      other(message)
    },
    failed: (error, id) => {
      const settled = id === undefined ? undefined : asked?.get(String(id))
      if (settled !== undefined) return settled(Result.fail(error))
      if (pending !== undefined && (id === undefined || id === pending.id)) abort(error)
      else if (id === undefined || !isMine(id)) failed(error)
      const before = isMine(id ?? null) ? kept?.get(String(id)) : undefined
      if (before !== undefined) over(before)
    },
    ended: (error) => {
      death = error
      fail(error)
      for (const call of kept?.values() ?? []) over(call)
      for (const settled of asked?.values() ?? []) settled(Result.fail(error))
      ended(error)
    },
  })

  const cancel = (call: Pending) => {
    if (pending !== call) return
    pending = undefined
    try {
      cut()
    } catch {
      // Thrown by the profile. This call has an error already; the next call uses the profile again.
    }
    wire.send(cancellation(call.id, "The caller cancelled the turn."))
    open?.over(call.turn)
  }

  /** A call that the server did not accept leaves the conversation unchanged. */
  const abort = (error: McpError) => {
    const call = pending
    stopped = error
    if (call === undefined) return
    if (error.delivery === "unknown") cancel(call)
    leave()
    call.fail(error)
  }

  return {
    abort,
    underWay: () => pending?.id,
    ask: (method, params) =>
      Effect.callback((resume) => {
        if (death !== undefined) return resume(Effect.fail(Failure.notSent(death)))
        const id = `${prefix}-${++count}`
        asked ??= new Map()
        const waiting = asked
        waiting.set(id, (answer) => {
          waiting.delete(id)
          resume(Effect.fromResult(answer))
        })
        wire.send({ jsonrpc: "2.0", id, method, params })
        return Effect.sync(() => {
          if (waiting.delete(id)) wire.send(cancellation(id, "The caller cancelled the request."))
        })
      }),
    end: () => {
      for (const call of kept?.values() ?? []) {
        wire.send(cancellation(call.id, "The session closes."))
        over(call)
      }
    },
    call: (make, turn, read) => {
      stopped = undefined
      return Effect.callback((resume) => {
        const error = stopped ?? death
        if (error !== undefined) return resume(Effect.fail(Failure.notSent(error)))
        const made = make()
        if (Result.isFailure(made)) return resume(Effect.fail(made.failure))
        const call = made.success
        const id = `${prefix}-${++count}`
        last = id
        const mine: Pending = {
          id,
          turn,
          read: (result) => {
            const outcome = read(result)
            return () => resume(outcome)
          },
          fail: (error) => resume(Effect.fail(error)),
        }
        pending = mine
        const params = { name: call.name, arguments: call.arguments, _meta: metaOf(id, call, turn.trace) }
        wire.send({ jsonrpc: "2.0", id, method: "tools/call", params })
        return Effect.sync(() => cancel(mine))
      })
    },
  }
}

/** The `_meta` of a call: the token of its progress notifications, and its trace context. */
const metaOf = (id: string, { meta, name }: ToolCall, trace: TurnTrace | undefined) => {
  if (trace === undefined) return { ...meta, progressToken: id }
  trace.called(name, id)
  return { ...meta, ...trace.context, progressToken: id }
}
