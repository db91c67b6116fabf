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

/** How long a process that has closed its output may take to exit, and so to say more, in milliseconds. */
const exitLimit = 200

/** A factory of wires whose processes this guard ends when the host dies. */
export const make =
  (guard: HostGuard): WireFactory =>
  (target) =>
    Effect.map(AgentProcess.start(target, guard), (process) => wire(process, target))

const wire = (process: AgentProcess.AgentProcess, target: StdioTarget): McpWire => {
  let listener: WireListener | undefined
  let early: Array<(listener: WireListener) => void> = []
  let over = false
  let spoken = false
  let garbage = false
  let outgoing = ""

  const tell = (event: (listener: WireListener) => void) => {
    if (listener === undefined) early.push(event)
    else event(listener)
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
  process.stdout.once("end", () => {
    const timer = setTimeout(() => end(() => Failure.connectionLost(about())), exitLimit)
    process.onEnd(() => clearTimeout(timer))
  })

  const flush = () => {
    const lines = outgoing
    outgoing = ""
    if (!over && process.stdin.writable) process.stdin.write(lines)
  }
  return {
    listen: (to) => {
      listener = to
      for (const event of early) event(to)
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
  try {
    const value: unknown = JSON.parse(line)
    return isMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}
