/**
 * One call of a tool, from its arguments to its result.
 */
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import {
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  ErrorCode,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { AgentAttachment, TurnListener, TurnResult } from "./Agent.ts"
import type { AgentError } from "./AgentError.ts"
import * as Approvals from "./Approvals.ts"
import * as CallReport from "./CallReport.ts"
import { clip, longestEcho } from "./Clip.ts"
import * as Lifecycle from "./Lifecycle.ts"
import type { Presence } from "./Presence.ts"
import * as ThreadHandle from "./ThreadHandle.ts"
import type { Tools } from "./Tools.ts"

/** What the SDK knows of a request. */
export type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** See `AgentServer.Options`. */
export interface Limits {
  readonly approvalTimeout: Duration.Duration
  readonly heartbeat: Duration.Duration
}

/** Who calls. */
export interface Caller<StartOptions> {
  readonly limits: Limits
  readonly presence: Presence<StartOptions>
  readonly principal: string | undefined
  readonly client: ClientCapabilities | undefined
  readonly extra: CallExtra
}

/**
 * A call as an effect: its result, or a refusal of the protocol. Interrupting it interrupts the turn, and keeps the
 * thread.
 */
export const make = <StartOptions>(
  tools: Tools<StartOptions>,
  { arguments: args, name }: CallToolRequest["params"],
  { client, extra, limits, presence, principal }: Caller<StartOptions>,
): Effect.Effect<CallToolResult, McpError> =>
  Effect.gen(function* () {
    if (extra.signal.aborted) return yield* Effect.interrupt
    const asked = tools.read(name, args)
    if (asked === undefined) {
      const known = tools.list.map((tool) => tool.name).join(" and ")
      return yield* Effect.fail(
        new McpError(
          ErrorCode.InvalidParams,
          `There is no tool ${JSON.stringify(clip(name, longestEcho))} here. There are ${known}.`,
        ),
      )
    }
    if (Result.isFailure(asked)) return failure(asked.failure)
    const call = asked.success

    const report = CallReport.make(
      { ...extra, requestId: Lifecycle.givenId(extra.requestId) },
      { wantsEvents: client?.experimental?.["zain/events"] !== undefined, heartbeat: limits.heartbeat },
      yield* Clock.Clock,
    )
    const listener: TurnListener = {
      event: report.event,
      approve: (request) =>
        Effect.sync(() => report.asked(request)).pipe(
          Effect.andThen(Approvals.ask(request, client, extra, limits.approvalTimeout)),
          Effect.tap((decision) => Effect.sync(() => report.decided(decision))),
        ),
    }
    const unknownThread = (handle: string) =>
      failure(
        `There is no thread ${JSON.stringify(clip(handle, longestEcho))}. The tool ${tools.startWith} starts one.`,
      )
    const refusal = (error: AgentError, handle: string | undefined): CallToolResult =>
      error.reason === "unknown-thread" && call._tag === "Reply"
        ? unknownThread(call.threadId)
        : failure(error.message, handle)

    const turn = (agent: AgentAttachment<StartOptions>) =>
      Effect.gen(function* () {
        const threadId =
          call._tag === "Reply" ? ThreadHandle.open(call.threadId, principal) : yield* agent.start(call.options)
        if (threadId === undefined) return unknownThread((call as { readonly threadId: string }).threadId)
        const handle = ThreadHandle.make(threadId, principal)
        report.started(handle)
        return yield* agent.turn(threadId, call.prompt, listener).pipe(
          Effect.map((result) => answer(result, handle)),
          Effect.catch((error) => Effect.succeed(refusal(error, handle))),
        )
      })
    return yield* presence.use((agent) =>
      Effect.raceFirst(report.beat, turn(agent)).pipe(
        Effect.catch((error) => Effect.succeed(refusal(error, undefined))),
        Effect.ensuring(report.end),
      ),
    )
  })

/**
 * What the SDK is told of a call.
 *
 * @param fiber the call
 * @param signal says that the client waits no more: the call is interrupted, and nothing is answered
 */
export const settle = (fiber: Fiber.Fiber<CallToolResult, McpError>, signal: AbortSignal): Promise<CallToolResult> =>
  new Promise((resolve, reject) => {
    const interrupt = () => fiber.interruptUnsafe()
    signal.addEventListener("abort", interrupt, { once: true })
    // Of a call and its cancellation in one piece, the SDK handles the cancellation first.
    if (signal.aborted) interrupt()
    fiber.addObserver((exit) => {
      signal.removeEventListener("abort", interrupt)
      if (Exit.isSuccess(exit)) return resolve(exit.value)
      const [first] = exit.cause.reasons.filter(Cause.isFailReason)
      if (first !== undefined) return reject(first.error)
      resolve(failure(Cause.hasInterruptsOnly(exit.cause) ? interrupted : broken(exit.cause)))
    })
  })

const interrupted = "The turn was interrupted: this server is ending, or its client was away."

const broken = (cause: Cause.Cause<never> | Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return `The server failed in a way that it does not know: ${error instanceof Error ? error.message : String(error)}`
}

const answer = ({ content, isError, usage }: TurnResult, threadId: string): CallToolResult => ({
  content: [{ type: "text", text: content }],
  structuredContent: { threadId, content },
  ...(isError ? { isError } : {}),
  ...(usage === undefined ? {} : { _meta: { "zain/usage": usage } }),
})

/** `threadId`: where to go on, if that is known. */
const failure = (message: string, threadId?: string): CallToolResult => ({
  content: [{ type: "text", text: message }],
  ...(threadId === undefined ? {} : { structuredContent: { threadId, content: message } }),
  isError: true,
})
