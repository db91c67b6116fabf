/**
 * Messages as lines, over the pipes of a process.
 *
 * @see Model Context Protocol 2025-11-25, transports, stdio
 */
import type { McpDelivery, McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Failure from "../Failure.ts"
import { isMessage, type JsonRpcMessage } from "../JsonRpc.ts"
import type { McpWire, StdioTarget, WireFactory, WireListener } from "../McpWire.ts"
import * as AgentProcess from "./AgentProcess.ts"
import type { HostGuard } from "./HostGuard.ts"
import * as LineFramer from "./LineFramer.ts"

/** How long a process that has closed a pipe may take to exit, and so to say more, in milliseconds. */
const exitLimit = 200

/** A factory of wires whose processes this guard ends when the host dies. */
export const make =
  (guard: HostGuard): WireFactory =>
  (target) =>
    Effect.gen(function* () {
      const { flush, ...wire } = overPipes(yield* AgentProcess.start(target, guard), target)
      // Runs before the process is stopped: a cancel that was just said is still on its way.
      yield* Effect.addFinalizer(() => Effect.sync(flush))
      return wire
    })

const overPipes = (
  process: AgentProcess.AgentProcess,
  target: StdioTarget,
): McpWire & { readonly flush: () => void } => {
  let listener: WireListener | undefined
  let early: Array<(listener: WireListener) => void> = []
  let over = false
  let spoken = false
  let garbage = false
  let outgoing = ""

  /** A server's words must not end the host: whatever they break here ends the wire. */
  const tell = (event: (listener: WireListener) => void) => {
    if (listener === undefined) return void early.push(event)
    try {
      event(listener)
    } catch (cause) {
      end(() => Failure.protocolViolation({ ...about(), cause }, "a message of its could not be handled"))
    }
  }
  const about = (delivery: McpDelivery = "unknown"): Failure.About => ({
    server: target.command,
    delivery,
    diagnostics: process.diagnostics(),
  })
  const end = (error: () => McpError) => {
    if (over) return
    over = true
    const reason = error()
    tell((to) => to.ended(reason))
  }

  process.stdout.on(
    "data",
    LineFramer.make(target.maxMessageBytes, {
      line: (line) => {
        const message = parse(line)
        if (message === undefined) garbage = true
        else {
          spoken = true
          tell((to) => to.message(message))
        }
      },
      oversize: () => {
        const error = Failure.messageTooLarge(about(), target.maxMessageBytes)
        tell((to) => to.failed(error))
      },
    }),
  )
  process.onEnd((how) =>
    end(() => (spoken ? Failure.serverExited(about(), how) : Failure.endedBeforeHandshake(about(), how, garbage))),
  )
  const lost = () => {
    const timer = setTimeout(() => end(() => Failure.connectionLost(about())), exitLimit)
    timer.unref()
    process.onEnd(() => clearTimeout(timer))
  }
  process.stdout.once("end", lost)
  process.stdin.once("close", lost)

  const flush = () => {
    const lines = outgoing
    outgoing = ""
    if (process.stdin.writableLength > target.maxMessageBytes) return end(() => Failure.notReading(about()))
    if (lines !== "" && !over && process.stdin.writable) process.stdin.write(lines)
  }
  return {
    flush,
    listen: (to) => {
      listener = to
      for (const event of early) tell(event)
      early = []
    },
    send: (message) => {
      if (over) return
      if (outgoing === "") queueMicrotask(flush)
      outgoing += `${JSON.stringify(message)}\n`
    },
    diagnostics: process.diagnostics,
  }
}

const parse = (line: string): JsonRpcMessage | undefined => {
  if (!line.startsWith("{") && !line.trimStart().startsWith("{")) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return isMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}
