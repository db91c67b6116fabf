/**
 * The wire of stdio: messages as lines over the pipes of a process.
 *
 * @see Model Context Protocol 2025-11-25, transports, stdio
 */
import type { McpError } from "@zain/core/McpError"
import * as FairReading from "@zain/process/FairReading"
import type { HostGuard } from "@zain/process/HostGuard"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import * as LineFramer from "@zain/process/LineFramer"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as BufferedListener from "../BufferedListener.ts"
import * as Failure from "../Failure.ts"
import { type McpWire, nameOf, type StdioTarget } from "../McpWire.ts"
import * as ExitFailure from "./ExitFailure.ts"
import * as FrameHeader from "./FrameHeader.ts"
import * as SharedServer from "./SharedServer.ts"

/** How long a process that has closed a pipe may take to exit, in milliseconds: its exit code makes a better message. */
const exitTimeoutMillis = 200

/** How many characters of a line that is not a message are kept: more than is shown, so that no part of a secret is shown. */
const quoted = 4_096

const framed =
  "it sends `Content-Length` headers, as the Language Server Protocol does; MCP over stdio has one message per line"

/** Starts a process, or connects to one that other sessions share, and opens a wire to it. */
export const open = Effect.fnUntraced(function* (
  target: StdioTarget,
): Effect.fn.Return<McpWire, McpError, Scope.Scope | HostGuard | SharedServer.SharedServers> {
  const process = target.isShared
    ? yield* Effect.flatMap(SharedServer.SharedServers, ({ connect }) => connect(target))
    : yield* Effect.mapError(OwnedProcess.start(target), Failure.startFailed)
  const { flush, ...wire } = overPipes(process, target)
  // Runs before the process is stopped, so that a cancellation is still written.
  yield* Effect.addFinalizer(() => Effect.sync(flush))
  return wire
})

const overPipes = (
  process: OwnedProcess.OwnedProcess,
  target: StdioTarget,
): McpWire & { readonly flush: () => void } => {
  let spoken = false
  let foreign: string | undefined
  let isFramed = false
  let outgoing = ""
  const endsFrameHeader = FrameHeader.make()

  const about = (): Failure.About => ({
    server: nameOf(target),
    delivery: "unknown",
    diagnostics: process.diagnostics(),
  })
  const listener = BufferedListener.make(about)
  const { end } = listener

  const other = (line: string) => {
    foreign ||= line.trim()
    if (spoken || !endsFrameHeader(line)) return
    isFramed = true
    end(() => Failure.notAnMcpServer(about(), framed))
  }
  const read = LineFramer.make(
    target.maxMessageBytes,
    {
      line: (line) => {
        const message = JsonRpc.parse(line)
        if (message === undefined) return other(line.slice(0, quoted))
        spoken = true
        listener.message(message)
      },
      oversize: (excess) => listener.failed(Failure.messageTooLarge(about(), target, excess)),
    },
    { bounds: target.shape },
  )
  process.stdout.on("data", FairReading.make(process.stdout, read))
  process.onEnd((how) =>
    end(() =>
      spoken ? ExitFailure.inSession(about(), how) : ExitFailure.beforeHandshake(about(), how, foreign !== undefined),
    ),
  )
  const lost = () => {
    const timer = setTimeout(() => end(() => Failure.connectionLost(about())), exitTimeoutMillis)
    timer.unref()
    process.onEnd(() => clearTimeout(timer))
  }
  process.stdout.once("end", lost)
  process.stdin.once("close", lost)
  if (process.stdin.destroyed) lost()

  const flush = () => {
    const lines = outgoing
    outgoing = ""
    if (process.stdin.writableLength > target.maxMessageBytes) return end(() => Failure.notReading(about()))
    if (lines !== "" && !listener.isOver() && process.stdin.writable) process.stdin.write(lines)
  }
  return {
    flush,
    listen: listener.listen,
    send: (message) => {
      if (listener.isOver()) return
      if (outgoing === "") queueMicrotask(flush)
      outgoing += `${JsonText.write(message)}\n`
    },
    diagnostics: process.diagnostics,
    unref: process.unref,
    foreign: () => foreign || undefined,
    isFramed: () => isFramed,
  }
}
