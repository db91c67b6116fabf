/**
 * An `McpClient` for any agent that serves MCP, given what is different about it.
 */

import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import { clip, InvalidRequest, type McpError, SessionClosed } from "@zain/core/McpError"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import type { AgentProfile, AgentSession, ToolResult } from "./AgentProfile.ts"
import * as CallLane from "./CallLane.ts"
import * as Failure from "./Failure.ts"
import * as HttpPool from "./http/HttpPool.ts"
import * as SseWire from "./http/SseWire.ts"
import * as StreamableHttpWire from "./http/StreamableHttpWire.ts"
import { type McpWire, nameOf, type WireFactory } from "./McpWire.ts"
import * as Redactor from "./Redactor.ts"
import * as SdkHandshake from "./SdkHandshake.ts"
import * as SessionHost from "./SessionHost.ts"
import * as HostGuard from "./stdio/HostGuard.ts"
import * as StdioWire from "./stdio/StdioWire.ts"
import * as Target from "./Target.ts"

/**
 * - `options`: the provider's options for every session; `providerOptions` of a configuration override them one by one
 * - `connect`: how to open a wire; by the transport of the configuration by default. For tests, and for wires that Zain does not know
 */
export interface Options<ProviderOptions> {
  readonly options?: ProviderOptions
  readonly connect?: WireFactory
}

/**
 * An adapter for the agent of a profile. Its sessions, and every process of theirs, end with the Scope.
 *
 * @param profile what is different about the agent. A function of it that throws ends the session's wire with
 *   `ConnectionUnavailable`, reason `protocol-violation`
 *
 * **Example**
 *
 * ```ts
 * import { type AgentProfile, SdkMcpClient } from "@zain/sdk-client"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const profile: AgentProfile.AgentProfile<object> = {
 *   provider: "parrot",
 *   supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
 *   options: Schema.Struct({}),
 *   environment: ["PARROT_HOME"],
 *   open: (target) =>
 *     Effect.succeed({
 *       target,
 *       call: (prompt) => ({ name: "repeat", arguments: { prompt } }),
 *       read: ({ content }) => Effect.succeed({ content: content?.[0]?.text ?? "", isError: false, threadId: "one" }),
 *     }),
 *   answer: () => undefined,
 *   event: () => undefined,
 * }
 *
 * export const make = SdkMcpClient.make(profile)
 * ```
 *
 * @see design, §6 and §6a
 */
export const make = Effect.fnUntraced(function* <ProviderOptions>(
  profile: AgentProfile<ProviderOptions>,
  { connect, options }: Options<ProviderOptions> = {},
): Effect.fn.Return<McpClientAdapter, never, Scope.Scope> {
  const guard = yield* HostGuard.make
  const host = SessionHost.make(guard)
  const openWire = connect ?? transports(guard, yield* HttpPool.make)
  return yield* McpSessionRuntime.make({
    provider: profile.provider,
    supports: profile.supports,
    connect: Effect.fnUntraced(function* (config) {
      const chosen = yield* readOptions(profile, { ...options, ...config.providerOptions })
      const target = yield* Effect.fromResult(Target.make(config, profile.environment))
      const seen: { wire?: McpWire } = {}
      return yield* Effect.gen(function* () {
        const session = yield* profile.open(target, chosen, host)
        seen.wire = yield* openWire(session.target)
        return yield* converse(profile, session, seen.wire)
      }).pipe(
        Effect.timeoutOrElse({
          duration: config.connectTimeout,
          orElse: () =>
            Effect.fail(
              Failure.connectTimeout(
                { server: nameOf(target), delivery: "not-sent", diagnostics: seen.wire?.diagnostics() ?? {} },
                config.connectTimeout,
              ),
            ),
        }),
        Effect.mapError(Failure.notSent),
      )
    }),
  })
})

const readOptions = <A>(profile: AgentProfile<A>, given: object): Effect.Effect<A, InvalidRequest> => {
  const wrong = (why: string) =>
    new InvalidRequest({
      reason: "invalid-config",
      message: clip(`The options for ${profile.provider} are wrong: ${why}`),
      delivery: "not-sent",
    })
  const [key] = Object.keys(given)
  // To Effect a struct without fields is anything at all.
  if (key !== undefined && hasNoFields(profile.options)) {
    return Effect.fail(wrong(`\`providerOptions.${key}\` is not known: this provider has none.`))
  }
  return Effect.mapError(Schema.decodeUnknownEffect(profile.options, { onExcessProperty: "error" })(given), (failure) =>
    wrong(SchemaProblem.describe(failure, ["providerOptions"])),
  )
}

const hasNoFields = ({ ast }: Schema.Top): boolean =>
  SchemaAST.isObjects(ast) && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

/** A wire of the target's transport. */
const transports = (guard: HostGuard.HostGuard, pool: HttpPool.HttpPool): WireFactory => {
  const stdio = StdioWire.make(guard)
  const streamableHttp = StreamableHttpWire.make(pool)
  const sse = SseWire.make(pool)
  return (target) => {
    if (target.transport === "stdio") return stdio(target)
    return target.transport === "sse" ? sse(target) : streamableHttp(target)
  }
}

/** Completes the handshake, and makes the connection that takes turns. */
const converse = Effect.fnUntraced(function* (
  profile: Pick<AgentProfile<never>, "answer" | "event" | "supports">,
  session: AgentSession,
  wire: McpWire,
) {
  const server = nameOf(session.target)
  const redact = Redactor.make(session.target.secrets)
  const clean = (answer: McpSessionRuntime.Answer) => ({ ...answer, content: redact(answer.content) })
  const ended = yield* Deferred.make<never, McpError>()
  let opened = false
  let threadId: string | undefined
  let lost = false
  const sdk = SdkHandshake.make(wire, profile.answer)
  const lane = CallLane.make({
    wire,
    server,
    redact,
    event: profile.event,
    failed: (error) => {
      if (!opened) Deferred.doneUnsafe(ended, Effect.fail(error))
    },
    other: sdk.message,
    cut: () => {
      threadId = session.interrupted?.(threadId)
      lost = threadId === undefined
    },
    ended: (error) => {
      Deferred.doneUnsafe(ended, Effect.fail(error))
      sdk.end()
    },
  })
  yield* Effect.addFinalizer(() => Effect.sync(sdk.end))
  const handshake = Effect.mapError(sdk.handshake, ({ message }) => {
    const cause = new Error(redact(message))
    return Failure.notAnMcpServer(
      { server, delivery: "not-sent", diagnostics: wire.diagnostics(), cause },
      cause.message,
    )
  })
  yield* Effect.raceFirst(Deferred.await(ended), handshake)
  opened = true

  /** Ends the reading of a result, which may wait for more than the wire: the result itself has come already. */
  let stopReading = (_error: McpError) => {}
  const readable = (reading: Effect.Effect<McpSessionRuntime.Answer, McpError>) => {
    if (Exit.isExit(reading)) return reading
    const stopped = Deferred.makeUnsafe<never, McpError>()
    stopReading = (error) => void Deferred.doneUnsafe(stopped, Effect.fail(error))
    return Effect.raceFirst(Effect.raceFirst(reading, Deferred.await(stopped)), Deferred.await(ended))
  }
  const understood = (answer: McpSessionRuntime.Answer): McpSessionRuntime.Answer => {
    if (answer.isError && !profile.supports.failureKeepsConversation) {
      lost = threadId !== undefined
      return withoutThread(clean(answer), threadId)
    }
    threadId = answer.threadId ?? threadId
    lost = !answer.isError && threadId === undefined
    return answer.isError ? clean(answer) : answer
  }
  const read = (result: ToolResult): Effect.Effect<McpSessionRuntime.Answer, McpError> => {
    const reading = session.read(result, threadId)
    // What can be read at once, as it nearly always can, is not worth a step more.
    if (isDone(reading)) return Exit.succeed(understood(reading.value))
    return readable(reading).pipe(
      Effect.mapError((error) => Failure.redacted(error, redact)),
      Effect.map(understood),
    )
  }
  const connection: McpSessionRuntime.AgentConnection = {
    abort: (error) => {
      stopReading(error)
      lane.abort(error)
    },
    execute: ({ content }, turn) =>
      lane.call(
        () => (lost ? Result.fail(conversationLost()) : Result.succeed(session.call(content, threadId))),
        turn,
        read,
      ),
  }
  return connection
})

const isDone = <A>(reading: Effect.Effect<A, McpError>): reading is Exit.Success<A, McpError> =>
  Exit.isExit(reading) && Exit.isSuccess(reading)

/** A first turn that failed leaves no conversation to go on with: the next prompt starts one. */
const withoutThread = ({ threadId: _, ...answer }: McpSessionRuntime.Answer, threadId: string | undefined) =>
  threadId === undefined ? answer : { ...answer, threadId }

const conversationLost = () =>
  new SessionClosed({
    reason: "conversation-lost",
    message:
      "A turn of this session was cut short or failed, and its agent cannot go on from there. Open a new session.",
    delivery: "not-sent",
  })
