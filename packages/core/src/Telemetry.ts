/**
 * What a tracer hears of sessions: one span an operation, filled in once, at its end, and the metrics beside it.
 *
 * Off unless the caller's own tracer is there: then nothing is made, nothing is measured, and nothing is sent. On, it
 * is beside the work: whatever a tracer throws, the operation ends as it would have without.
 *
 * @see docs/guides/observe.md
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import type { AgentConnection, Driver, TurnTrace } from "./AgentConnection.ts"
import type { Parsed } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpResponse, McpUsage } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import * as Names from "./SemanticConventions.ts"
import * as Metrics from "./TelemetryMetrics.ts"
import * as TraceContext from "./TraceContext.ts"

/** What the span of a session's operation says about the session. */
export interface Traced {
  readonly id: McpSessionId
  readonly config: Pick<Parsed, "serverUrl" | "transport">
  readonly connection: Pick<AgentConnection, "model" | "protocolVersion" | "redact">
}

/**
 * The span of an operation.
 *
 * - `span`: the parent of whatever is done for the operation
 * - `reaches`: hears which server the operation is about
 * - `within`: hears which session it is about
 * - `began`: hears that the turn has begun
 * - `opened`: hears that a session is open; what it returns hears that it is not any more
 */
export interface Trace extends TurnTrace {
  readonly span: Tracer.Span
  readonly reaches: (config: Traced["config"]) => void
  readonly within: (session: Traced) => void
  readonly began: (turn: number) => void
  readonly opened: (session: Traced) => () => void
}

/** Runs an operation, and gives it its span where somebody watches. */
export type Watch<A> = <B extends A>(
  run: (trace: Trace | undefined) => Effect.Effect<B, McpError>,
) => Effect.Effect<B, McpError>

type Agent = Pick<Driver, "provider" | "vendor">

/** The three operations of a provider. */
export interface Telemetry {
  readonly open: Watch<unknown>
  readonly execute: Watch<McpResponse>
  readonly close: Watch<unknown>
}

/** @param agent who works */
export const make = (agent: Agent): Telemetry => ({
  open: watch(agent, Names.open, nothing),
  execute: watch(agent, Names.execute, (response: McpResponse) => response),
  close: watch(agent, Names.close, nothing),
})

const nothing = () => undefined

/** Effect's own tracer keeps spans that nobody will ever read. */
const isWatched = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer && fiber.getRef(References.TracerEnabled)

/** What those who watch throw is their own affair. */
const quietly = <A>(tell: () => A): A | undefined => {
  try {
    return tell()
  } catch {
    return undefined
  }
}

const watch =
  <A>(agent: Agent, operation: Names.Operation, responseOf: (value: A) => McpResponse | undefined): Watch<A> =>
  (run) =>
    Effect.withFiber((fiber) => {
      if (!isWatched(fiber)) return run(undefined)
      let begun: Begun | undefined
      return Effect.onExit(
        // The span is made where its end is sure to be heard: no interruption comes between the two.
        Effect.suspend(() => {
          const span = spanOf(fiber, agent.provider, operation)
          if (span === undefined) return run(undefined)
          begun = begin(fiber, span, Names.agent(agent), operation)
          return Effect.provideService(run(begun.trace), Tracer.ParentSpan, span)
        }),
        (exit) => Effect.sync(() => quietly(() => begun?.end(outcomeOf(exit, responseOf)))),
      )
    })

/** None from a tracer that cannot make one. */
const spanOf = ({ context }: Fiber.Fiber<unknown, unknown>, provider: McpProvider, { kind, span }: Names.Operation) => {
  const made = Effect.runSyncExitWith(context)(Effect.makeSpan(span(provider), { kind }))
  return Exit.isSuccess(made) ? made.value : undefined
}

/** The trace of an operation, and what hears how it ended. */
interface Begun {
  readonly trace: Trace
  readonly end: (outcome: Outcome) => void
}

const begin = (
  fiber: Fiber.Fiber<unknown, unknown>,
  span: Tracer.Span,
  agent: Names.Attributes,
  operation: Names.Operation,
): Begun => {
  const { context } = fiber
  const clock = fiber.getRef(Clock.Clock)
  const stopwatch = () => {
    const start = clock.currentTimeNanosUnsafe()
    return () => Number(clock.currentTimeNanosUnsafe() - start) / 1e9
  }
  const seconds = stopwatch()
  const attributes: Names.Attributes = { ...operation.attributes, ...agent }
  const add = (more: Names.Attributes) => void Object.assign(attributes, more)
  let model: Names.Attributes = {}
  let redact: Traced["connection"]["redact"]
  /** How the server is reached, once that is known, and for how long the request to it has been under way. */
  let reached: Names.Attributes | undefined
  let requestSeconds = seconds
  const reaches = (config: Traced["config"]) => {
    reached = { ...agent, ...Names.transport(config) }
    add(Names.server(config))
  }
  const within = ({ config, connection, id }: Traced) => {
    reaches(config)
    const protocol = Names.protocol(connection.protocolVersion)
    reached = { ...reached, ...protocol }
    model = Names.model(connection.model)
    redact = connection.redact
    add({ ...protocol, [Names.sessionId]: id })
  }
  const trace: Trace = {
    span,
    context: fiber.getRef(Tracer.DisablePropagation) ? undefined : quietly(() => TraceContext.of(span)),
    reaches,
    within,
    began: (turn) => add({ [Names.turn]: turn }),
    called: (tool, id) => {
      requestSeconds = stopwatch()
      add({ [Names.methodName]: "tools/call", [Names.toolName]: tool, [Names.requestId]: id })
    },
    refused: (code) => add({ [Names.statusCode]: String(code) }),
    opened: (session) => {
      within(session)
      const by = { ...agent, ...Names.transport(session.config) }
      const all = { ...by, ...Names.protocol(session.connection.protocolVersion) }
      const open = stopwatch()
      quietly(() => Metrics.sessions(1, by, context))
      return () => {
        quietly(() => Metrics.sessions(-1, by, context))
        quietly(() => Metrics.sessionTook(open(), all, context))
      }
    },
  }
  const end = ({ error, exit, more, threadId, usage }: Outcome) => {
    const failure = error === undefined ? {} : { [Names.errorType]: error }
    const turn = operation === Names.execute ? { ...operation.attributes, ...agent, ...model } : undefined
    add({ ...turn, ...more, ...failure })
    quietly(() => add({ ...Names.conversation(threadId, redact), ...Names.usage(usage) }))
    for (const name in attributes) quietly(() => span.attribute(name, attributes[name]))
    quietly(() => span.end(clock.currentTimeNanosUnsafe(), exit))
    if (turn !== undefined) {
      quietly(() => Metrics.turnTook(seconds(), { ...turn, ...failure }, context))
      quietly(() => Metrics.tokensUsed(usage, turn, context))
    }
    const method = Names.method(attributes)
    if (method !== undefined && reached !== undefined) {
      const by = { ...method, ...reached, ...failure }
      quietly(() => Metrics.requestTook(requestSeconds(), by, context))
    }
    if (error !== undefined && error !== Names.interrupted) {
      quietly(() => Metrics.failed({ [Names.operation]: operation.name, ...agent, ...failure }, context))
    }
  }
  return { trace, end }
}

/**
 * How an operation ended, in words that hold nothing of what was asked, answered or configured.
 *
 * - `error`: the reason, if it did not end well
 * - `more`: what else its span says
 * - `threadId`: the agent's name for the conversation, where it told
 */
interface Outcome {
  readonly error?: string
  readonly more?: Names.Attributes
  readonly threadId?: string | undefined
  readonly usage: McpUsage
  readonly exit: Exit.Exit<unknown, unknown>
}

const outcomeOf = <A>(exit: Exit.Exit<A, McpError>, responseOf: (value: A) => McpResponse | undefined): Outcome => {
  if (Exit.isSuccess(exit)) {
    const { isError = false, threadId, usage = {} } = responseOf(exit.value) ?? {}
    return isError
      ? { error: Names.toolError, threadId, usage, exit: failed("TurnFailed", Names.toolError) }
      : { threadId, usage, exit: Exit.void }
  }
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Fail") {
      const { _tag, delivery, reason: error } = reason.error
      return { error, more: { [Names.delivery]: delivery }, usage: {}, exit: failed(_tag, error) }
    }
    if (reason._tag === "Die") return { error: Names.defect, usage: {}, exit: failed("Defect", Names.defect) }
  }
  return { error: Names.interrupted, usage: {}, exit }
}

/** Tracers write what they end with, its message and its stack, into the span. */
const failed = (name: string, message: string): Exit.Exit<never, Error> =>
  Exit.fail(Object.assign(new Error(message), { name, stack: `${name}: ${message}` }))
