/**
 * Runs one call of a tool.
 */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { clip, maxEchoLength } from "@zain/command/Clip"
import { type ApprovedUses, reply } from "@zain/core/ApprovalUse"
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpDelivery } from "@zain/core/McpError"
import { visible } from "@zain/core/TerminalText"
import type { ClientAttachment } from "@zain/tool-server/ClientAttachment"
import { codes, internalError, invalidParams, ProtocolError } from "@zain/tool-server/ProtocolError"
import * as ToolServer from "@zain/tool-server/ToolServer"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as AccountLimits from "./AccountLimits.ts"
import type { AgentError } from "./AgentError.ts"
import * as AgentQuestions from "./AgentQuestions.ts"
import * as OwnTools from "./ClientTools.ts"
import * as ElicitApproval from "./ElicitApproval.ts"
import * as FileChanges from "./FileChanges.ts"
import type { Agent, AgentAttachment, Question, TurnListener, TurnResult } from "./ServedAgent.ts"
import * as ThreadHandle from "./ThreadHandle.ts"
import * as ThreadLock from "./ThreadLock.ts"
import type { Tools } from "./ThreadTools.ts"
import * as TurnNotifications from "./TurnNotifications.ts"
import type { TurnSteers } from "./TurnSteers.ts"
import * as Workspace from "./Workspace.ts"

/** Time limits of a call. */
export interface Limits {
  /** See `AgentServer.Options`. */
  readonly approvalTimeout: Duration.Duration
  /** See `AgentServer.Options`. */
  readonly heartbeat: Duration.Duration
  /** See `AgentServer.Options`. */
  readonly modelSilence: Duration.Duration
}

/** The tools of an agent, its check of options, and its redaction. */
export interface Served<StartOptions> extends Pick<Agent<StartOptions>, "check" | "redact"> {
  readonly tools: Tools<StartOptions>
}

/** The client of a call. */
export interface Caller<StartOptions> extends ToolServer.CallContext {
  /** Time limits of the call. */
  readonly limits: Limits
  /** The client's attachment to the agent, which the call uses. */
  readonly attachment: ClientAttachment<AgentAttachment<StartOptions>>
  /** The secret that the client's thread ids are signed with. */
  readonly principal: string | undefined
  /** See `Workspace.Roots`. */
  readonly roots: ReadonlyArray<string>
  /** The client's turns that texts may reach. */
  readonly steers: TurnSteers
  /** The client's approvals for the rest of its session, by thread. */
  readonly approved: (threadId: string) => ApprovedUses
}

/**
 * Runs a call. Fails with a `ProtocolError` when no turn ran. An interrupt interrupts the turn, and keeps the thread.
 */
export const make = Effect.fnUntraced(function* <StartOptions>(
  { check, redact, tools }: Served<StartOptions>,
  { _meta: meta, arguments: args, name }: ToolServer.CallParams,
  { approved, attachment, client, limits, principal, request: context, room, roots, steers }: Caller<StartOptions>,
): Effect.fn.Return<CallToolResult, ProtocolError> {
  const asked = tools.read(name, args, meta?.["zain/open"] === true)
  if (asked === undefined) {
    const known = tools.list.map((tool) => tool.name).join(" or ")
    return yield* Effect.fail(
      invalidParams(`Unknown tool ${JSON.stringify(clip(name, maxEchoLength))}; expected ${known}.`),
    )
  }
  if (Result.isFailure(asked)) return failure(asked.failure)
  const call = asked.success
  const given = OwnTools.read(meta, client)
  if (Result.isFailure(given)) return yield* Effect.fail(invalidParams(`In \`_meta\`: ${given.failure}.`))
  const own = given.success

  const wantsEvents = client?.experimental?.["zain/events"] !== undefined
  const report = yield* TurnNotifications.make(context, { wantsEvents, ...limits })
  const decide = Effect.fnUntraced(function* (
    uses: ApprovedUses,
    request: McpApprovalRequest,
    { edits, isWider }: Question,
  ): Effect.fn.Return<McpApprovalDecision> {
    const objection = yield* Effect.promise(() => Workspace.objection(roots, request, isWider))
    if (objection !== undefined) return { _tag: "Decline", reason: objection }
    if (uses.has(request)) return { _tag: "Approve" }
    const shown = yield* withChanges(request, edits, redact, roots)
    return yield* ElicitApproval.ask(shown, client, context, limits.approvalTimeout)
  })
  const approve = Effect.fnUntraced(function* (threadId: string, question: Question) {
    const request = yield* Effect.promise(() => Workspace.followed(legible(question.request)))
    report.asked(request)
    const uses = approved(threadId)
    const decision = yield* Effect.onExit(decide(uses, request, question), (exit) =>
      Effect.sync(() => report.decided(Exit.isSuccess(exit) ? exit.value : undefined)),
    )
    if (decision._tag === "ApproveForSession") uses.add(request)
    return reply(decision)
  })
  const listener = (threadId: string, handle: string): TurnListener => ({
    stage: report.stage,
    started: () => report.started(handle),
    event: report.event,
    steerable: steers.enter(context.requestId),
    room,
    approve: (question) => approve(threadId, question),
    callTool: (name, args) => OwnTools.call(own, context, name, args),
  })
  /** MCP has no error code for it: Zain's client receives an error with `zain/thread`, any other client a result. */
  const notOurs = (what: "held" | "lost", message: string): Effect.Effect<CallToolResult, ProtocolError> =>
    wantsEvents ? Effect.fail(threadRefused(message, what)) : Effect.succeed(failure(message))
  const unknownThread = (handle: string) =>
    notOurs(
      "lost",
      `There is no thread ${JSON.stringify(clip(handle, maxEchoLength))}. The tool ${tools.startWith} starts one.`,
    )
  const refusal = (error: AgentError, handle?: string): Effect.Effect<CallToolResult, ProtocolError> => {
    if (error.reason === "invalid-config") {
      return wantsEvents
        ? Effect.fail(refused(error.message, { "zain/config": "invalid" }))
        : Effect.succeed(failure(error.message))
    }
    if (error.reason === "not-supported") return Effect.fail(refused(error.message, { "zain/request": error.reason }))
    if (error.reason === "option-refused") return Effect.fail(optionRefused(error.message))
    if (error.delivery !== undefined) return Effect.fail(undelivered(error, error.delivery))
    if (error.reason === "thread-held") return notOurs("held", error.message)
    return error.reason === "unknown-thread" && "threadId" in call
      ? unknownThread(call.threadId)
      : Effect.succeed(failure(error.message, handle))
  }

  const turn = Effect.fnUntraced(function* (agent: AgentAttachment<StartOptions>) {
    if (call._tag === "Check") {
      yield* check(call.options)
      yield* agent.begin(call.options, own)
      return answer({ content: "", isError: false }, "")
    }
    const threadId =
      call._tag === "Start" ? yield* agent.start(call.options, own) : ThreadHandle.open(call.threadId, principal)
    if (threadId === undefined) return yield* unknownThread((call as { readonly threadId: string }).threadId)
    const handle = ThreadHandle.make(threadId, principal)
    if (call._tag === "Open") {
      return yield* agent.open(threadId, call.options, own).pipe(
        Effect.as(answer({ content: "", isError: false }, handle)),
        Effect.catch((error) => refusal(error, handle)),
      )
    }
    report.stage("queued")
    const running = agent.turn(
      threadId,
      own.length === 0 ? call.request : { ...call.request, tools: own },
      listener(threadId, handle),
      call._tag === "Reply" ? call.options : undefined,
    )
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(running), (result) => settled(result, handle, restore)),
    ).pipe(Effect.catch((error) => refusal(error, handle)))
  })
  /** Runs the rest of a turn. A client without `zain/events` could not decide what it asks, so it ends. */
  const settled = Effect.fnUntraced(function* (
    result: TurnResult,
    handle: string,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  ): Effect.fn.Return<CallToolResult> {
    const { rest } = result
    const now = yield* Clock.currentTimeMillis
    if (rest === undefined) return answer(result, handle, now)
    const working = yield* Effect.forkChild(Effect.interruptible(rest.done), { startImmediately: true })
    if (!wantsEvents) {
      yield* Fiber.interrupt(working)
      const { rest: _, ...whole } = result
      return answer({ ...whole, ended: [...(result.ended ?? []), ...rest.pending] }, handle, now)
    }
    report.answered(answer(result, handle, now))
    report.stage("background")
    yield* restore(Fiber.join(working)).pipe(Effect.onInterrupt(() => Fiber.interrupt(working)))
    return answer(result, handle, now)
  })
  return yield* attachment.use((agent) =>
    Effect.raceFirst(report.beat, turn(agent)).pipe(
      Effect.catchTag("AgentError", (error) => refusal(error)),
      Effect.ensuring(report.end),
      Effect.ensuring(Effect.sync(() => steers.leave(context.requestId))),
      Effect.provideService(Workspace.Roots, roots),
      Effect.provideService(AgentQuestions.Answers, ElicitApproval.canBeAsked(client)),
      Effect.provideService(ThreadLock.Client, clientIdOf(client)),
    ),
  )
})

/** The secret id of Zain's client. */
export const clientIdOf = (client: Caller<never>["client"]): string | undefined => {
  const { id } = (client?.experimental?.["zain/client"] ?? {}) as { readonly id?: unknown }
  return typeof id === "string" && /^[\w-]{16,128}$/.test(id) ? id : undefined
}

/** The request with the diffs of its files. */
const withChanges = (
  request: McpApprovalRequest,
  edits: Question["edits"],
  redact: (text: string) => string,
  roots: ReadonlyArray<string>,
): Effect.Effect<McpApprovalRequest> =>
  edits === undefined || edits.length === 0
    ? Effect.succeed(request)
    : Effect.map(
        Effect.promise(() =>
          FileChanges.describe(
            edits,
            redact,
            async (path) => roots.length === 0 || (await Workspace.hold(roots, [path])),
          ),
        ),
        (changes) => ({ ...request, changes }),
      )

/** The request without invisible characters in its message and reason. Command and paths stay exact. */
const legible = ({ message, reason, ...request }: McpApprovalRequest): McpApprovalRequest => ({
  ...request,
  message: visible(message),
  ...(reason === undefined ? {} : { reason: visible(reason) }),
})

/** @param now when the turn ended, in milliseconds since 1970 */
const answer = (
  { content, context, cost, ended, isError, limit, rest, stopReason, structured, usage }: TurnResult,
  threadId: string,
  now = 0,
): CallToolResult => {
  const _meta = {
    ...(usage === undefined ? {} : { "zain/usage": usage }),
    ...(context === undefined ? {} : { "zain/context": context }),
    ...(cost === undefined ? {} : { "zain/cost": cost }),
    ...(stopReason === undefined ? {} : { "zain/stop-reason": stopReason }),
    ...(limit === undefined ? {} : { "zain/cause": AccountLimits.causeOf(limit, now) }),
    ...(ended === undefined || ended.length === 0 ? {} : { "zain/ended": ended }),
    ...(rest === undefined ? {} : { "zain/pending": rest.pending }),
  }
  return {
    content: [{ type: "text", text: content }],
    structuredContent: { threadId, content, ...(structured === undefined ? {} : { structured }) },
    ...(isError ? { isError } : {}),
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
  }
}

/** An error, because a result means that the agent ran. */
const undelivered = ({ message, reason }: AgentError, delivery: McpDelivery): ProtocolError => {
  const data = { "zain/delivery": delivery, ...(reason === "stalled" ? { "zain/reason": reason } : {}) }
  return internalError(message, data)
}

/** The error of a request of which nothing was sent. */
export const refused = (message: string, data: Readonly<Record<string, string>>): ProtocolError =>
  new ProtocolError({ code: codes.invalidParams, message, data: { "zain/delivery": "not-sent", ...data } })

/** `held`: another process holds the thread. `lost`: it does not exist. */
export const threadRefused = (message: string, what: "held" | "lost") => refused(message, { "zain/thread": what })

/** @param message begins with the option's name */
const optionRefused = (message: string) => refused(message, { "zain/option": /^`([\w-]+)/.exec(message)?.[1] ?? "" })

/** @param threadId the thread that can be continued, if known */
const failure = (message: string, threadId?: string): CallToolResult => ({
  ...ToolServer.failure(message),
  ...(threadId === undefined ? {} : { structuredContent: { threadId, content: message } }),
})
