/**
 * The spans and metrics of operations: one span per operation, whose attributes are set once, at its end.
 *
 * Without a tracer of the caller's, nothing is created, measured or sent. With one, a tracer that throws does not
 * change the outcome of an operation.
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

/** The parts of a session that its spans describe. */
export interface Traced {
  readonly id: McpSessionId
  readonly config: Pick<Parsed, "serverUrl" | "transport">
  readonly connection: Pick<AgentConnection, "model" | "protocolVersion" | "redact">
}

/**
 * The span of an operation.
 *
 * - `span`: the parent of spans inside the operation
 * - `reaches`: sets the server of the operation
 * - `within`: sets the session of the operation
 * - `began`: sets the number of the turn
 * - `opened`: counts an open session; call the result when it closes
 */
export interface Trace extends TurnTrace {
  readonly span: Tracer.Span
  readonly reaches: (config: Traced["config"]) => void
  readonly within: (session: Traced) => void
  readonly began: (turn: number) => void
  readonly opened: (session: Traced) => () => void
}

/** Runs an operation, with its span if there is a tracer. */
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

/** @param agent the names of the agent, for attributes */
export const make = (agent: Agent): Telemetry => ({
  open: watch(agent, Names.open, nothing),
  execute: watch(agent, Names.execute, (response: McpResponse) => response),
  close: watch(agent, Names.close, nothing),
})

const nothing = () => undefined

/** Effect's native tracer exports nothing, so it does not count. */
const isWatched = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer && fiber.getRef(References.TracerEnabled)

/** Ignores errors of a tracer or an exporter. */
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
        // The span is made inside `onExit`, so that no interruption can come before the finalizer is installed.
        Effect.suspend(() => {
          const span = spanOf(fiber, agent.provider, operation)
          if (span === undefined) return run(undefined)
          begun = begin(fiber, span, Names.agent(agent), operation)
          return Effect.provideService(run(begun.trace), Tracer.ParentSpan, span)
        }),
        (exit) => Effect.sync(() => quietly(() => begun?.end(outcomeOf(exit, responseOf)))),
      )
    })

/** `undefined` if the tracer throws. */
const spanOf = ({ context }: Fiber.Fiber<unknown, unknown>, provider: McpProvider, { kind, span }: Names.Operation) => {
  const made = Effect.runSyncExitWith(context)(Effect.makeSpan(span(provider), { kind }))
  return Exit.isSuccess(made) ? made.value : undefined
}

/** The trace of an operation; `end` records its outcome. */
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
  /** The attributes of the request's metrics, once the server is known. */
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
 * The outcome of an operation for telemetry. It must not hold text of prompts, answers or configurations.
 *
 * - `error`: the value of `error.type`, if the operation failed
 * - `more`: further attributes of its span
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

/** Tracers write the message and the stack of an exit into the span, so both hold only the error's name and reason. */
const failed = (name: string, message: string): Exit.Exit<never, Error> =>
  Exit.fail(Object.assign(new Error(message), { name, stack: `${name}: ${message}` }))
