/**
 * One session over one wire: the handshake, then turn after turn of one conversation.
 */
import type { AgentConnection, AgentRequest, Answer, TraceContext, Turn } from "@zain/core/AgentConnection"
import * as McpApproval from "@zain/core/McpApproval"
import type { McpError } from "@zain/core/McpError"
import type { McpSteered } from "@zain/core/McpSteer"
import * as SessionFailure from "@zain/core/SessionFailure"
import type { ToolDefinition } from "@zain/core/ToolDefinition"
import * as Redactor from "@zain/process/Redactor"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import type { AgentProfile, AgentSession, ToolCall, ToolResult } from "./AgentProfile.ts"
import * as Failure from "./Failure.ts"
import * as Handshake from "./Handshake.ts"
import { type McpWire, nameOf } from "./McpWire.ts"
import * as ProviderOptions from "./ProviderOptions.ts"
import * as ServerRequests from "./ServerRequests.ts"
import * as StoredThreads from "./StoredThreads.ts"
import * as ThreadState from "./ThreadState.ts"
import * as ToolCallChannel from "./ToolCallChannel.ts"

/** The members of a profile that a conversation uses. */
export type Profile = Pick<
  AgentProfile<never>,
  "accepts" | "approvals" | "conversation" | "event" | "experimental" | "provider" | "supports" | "turnOptions"
>

/**
 * Completes the handshake and returns the connection that executes turns.
 *
 * @param clientId a secret that the sessions of one client share, so that their servers hand a conversation over
 * @param trace the trace context that is sent with `initialize`
 * @param tools the session's own tools. Fails with `not-supported` if the server has no extension for them
 */
export const open = Effect.fnUntraced(function* (
  profile: Profile,
  session: AgentSession,
  wire: McpWire,
  clientId: string,
  trace: TraceContext | undefined,
  tools: ReadonlyArray<ToolDefinition> = [],
) {
  const hasTools = tools.length > 0
  const server = nameOf(session.target)
  const redact = Redactor.make([...session.target.secrets, ...(session.secrets ?? [])])
  const clean = (answer: Answer) => ({ ...answer, content: redact(answer.content) })
  const ended = yield* Deferred.make<never, McpError>()
  let opened = false
  const rules: ThreadState.ThreadRules = {
    ...profile.supports,
    isSession: profile.conversation === "session",
    startsAnew: session.startsAnew === true,
    interrupted: (threadId) => session.interrupted?.(threadId),
  }
  let thread = ThreadState.start
  const { approvals: dialect } = profile
  // Policies run after the span of the handshake has ended.
  const context = Context.omit(Tracer.ParentSpan)(yield* Effect.context<never>())
  const experimental = {
    ...(profile.experimental === undefined ? {} : { ...profile.experimental, "zain/client": { id: clientId } }),
    ...(hasTools ? { [ownTools]: {} } : {}),
  }
  const capabilities = {
    ...(dialect === undefined ? {} : { elicitation: { form: {} } }),
    ...(Object.keys(experimental).length === 0 ? {} : { experimental }),
  }
  const withTools = (call: ToolCall): ToolCall =>
    hasTools ? { ...call, meta: { ...call.meta, [ownTools]: tools } } : call
  const handshake = Handshake.make(wire, session.target, capabilities, trace)
  /** Until the handshake is over; kept longer, it would take half a kilobyte of each open session. */
  let introduced: Handshake.Handshake["message"] | undefined = handshake.message
  /** Sets the thread to `Cut` first: if the profile throws, it is called again before the next turn. */
  const change = (next: (before: ThreadState.ThreadState) => ThreadState.ThreadState) => {
    const before = thread
    thread = { _tag: "Cut", threadId: ThreadState.threadIdOf(before) }
    thread = next(before)
  }
  /** After a cancelled turn: learns which thread continues. Returns what the profile threw, if it did. */
  const resume = (): unknown => {
    try {
      return change((before) => ThreadState.resumed(before, rules))
    } catch (cause) {
      return cause
    }
  }
  const channel = ToolCallChannel.make({
    wire,
    server,
    redact,
    event: session.event ?? profile.event,
    heard: session.heard,
    answered: session.answered,
    requests: () => ServerRequests.make({ dialect, hasTools, context, send: wire.send }),
    failed: (error) => {
      if (!opened) Deferred.doneUnsafe(ended, Effect.fail(error))
    },
    other: (message) => introduced?.(message),
    cut: () => change((before) => ThreadState.cut(before, rules)),
    ended: (error) => {
      Deferred.doneUnsafe(ended, Effect.fail(error))
    },
  })
  yield* Effect.addFinalizer(() => Effect.sync(channel.end))
  const introduction = Effect.mapError(handshake.run, ({ message }) => {
    const cause = new Error(redact(message))
    return Failure.notAnMcpServer(
      { server, delivery: "not-sent", diagnostics: wire.diagnostics(), cause },
      cause.message,
    )
  })
  const info = yield* Effect.raceFirst(Deferred.await(ended), introduction)
  introduced = undefined
  const refused = profile.accepts?.(info)
  if (refused !== undefined) return yield* Effect.fail(Failure.redacted(refused, redact))
  if (hasTools && !Object.hasOwn(info.experimental, ownTools)) return yield* Effect.fail(Failure.noTools(server))
  opened = true

  /** Ends the reading of a result. The reading may wait for something other than the wire, so the wire's end may not end it. */
  let stopReading = (_error: McpError) => {}
  const readable = (reading: Effect.Effect<Answer, McpError>) => {
    if (Exit.isExit(reading)) return reading
    const stopped = Deferred.makeUnsafe<never, McpError>()
    stopReading = (error) => void Deferred.doneUnsafe(stopped, Effect.fail(error))
    return Effect.raceFirst(Effect.raceFirst(reading, Deferred.await(stopped)), Deferred.await(ended))
  }
  const understood = (answer: Answer): Answer => {
    thread = ThreadState.answered(thread, answer, rules)
    return answer.isError ? withThread(clean(answer), ThreadState.threadIdOf(thread)) : answer
  }
  const read = (result: ToolResult): Effect.Effect<Answer, McpError> => {
    const reading = session.read(result, ThreadState.threadIdOf(thread))
    // Nearly every result is read synchronously; this path saves a fiber step.
    if (isDone(reading)) return Exit.succeed(understood(reading.value))
    return readable(reading).pipe(
      Effect.mapError((error) => Failure.redacted(error, redact)),
      Effect.map(understood),
    )
  }
  const { prepare } = session
  if (prepare !== undefined && (prepare.requires === undefined || prepare.requires in info.experimental)) {
    const prepared = (result: ToolResult) =>
      result.isError === true ? Effect.fail(Failure.notPrepared(server, textOf(result))) : Effect.void
    yield* Effect.mapError(
      channel.call(() => Result.succeed(withTools(prepare)), noTurn, prepared),
      (error) => Failure.redacted(error, redact),
    )
  }
  const { provider, turnOptions } = profile
  const send = (request: AgentRequest, turn: Turn) =>
    channel.call(
      () => {
        const cause = thread._tag === "Cut" ? resume() : undefined
        return thread._tag === "New" || thread._tag === "Begun"
          ? Result.succeed(withTools(session.call(request.content, ThreadState.threadIdOf(thread), request)))
          : Result.fail(Failure.conversationLost(`${lostBy[thread._tag]} Open a new session.`, cause))
      },
      turn,
      read,
    )
  const steer = (content: string): Effect.Effect<McpSteered, McpError> => {
    const call = channel.underWay()
    if (call === undefined) return Effect.fail(SessionFailure.noTurn())
    if (!(steering in info.experimental)) return Effect.fail(SessionFailure.noSteer(provider))
    return Effect.map(channel.ask(steering, { call, content }), ({ steered }) =>
      steered === "queued" ? "queued" : "applied",
    )
  }
  const connection: AgentConnection = {
    protocolVersion: info.protocolVersion,
    model: session.model,
    redact,
    unref: wire.unref,
    abort: (error) => {
      stopReading(error)
      channel.abort(error)
    },
    steer: profile.supports.steer === true ? steer : undefined,
    threads:
      profile.supports.threads === true && StoredThreads.extension in info.experimental
        ? StoredThreads.make(channel, server)
        : undefined,
    execute: (request, turn) =>
      request.providerOptions === undefined || turnOptions === undefined
        ? send(request, turn)
        : Effect.flatMap(
            ProviderOptions.readOfTurn(provider, turnOptions, request.providerOptions),
            (providerOptions) => send({ ...request, providerOptions }, turn),
          ),
  }
  return connection
})

/** The extension of agent servers for texts into a turn under way. */
const steering = "zain/steer"

/** The experimental capability of both sides, and the member of a call's `_meta` with the definitions. */
const ownTools = "zain/tools"

/** The turn of a call outside of a turn, such as `prepare`. */
const noTurn: Turn = {
  beat: () => {},
  emit: () => {},
  approve: () => Effect.succeed(McpApproval.decline("No turn is under way.")),
  callTool: () => Effect.succeed({ text: "No turn is under way.", isError: true }),
  observed: () => false,
  keep: () => {},
  over: () => {},
}

const textOf = ({ content = [] }: ToolResult): string => content.map(({ text = "" }) => text).join("\n")

const isDone = <A>(reading: Effect.Effect<A, McpError>): reading is Exit.Success<A, McpError> =>
  Exit.isExit(reading) && Exit.isSuccess(reading)

/** Names the conversation of a failed turn; after a failed first turn, the next prompt may start a new one. */
const withThread = ({ threadId: _, ...answer }: Answer, threadId: string | undefined) =>
  threadId === undefined ? answer : { ...answer, threadId }

/** Why a conversation cannot continue, by the state of its thread. */
const lostBy = {
  Cut: "A turn of this session was cancelled, and the agent cannot continue the conversation afterwards.",
  Failed: "A turn of this session failed, and the agent cannot continue the conversation afterwards.",
  Unnamed: "An answer in this session had no thread id, so the agent cannot continue the conversation.",
}
