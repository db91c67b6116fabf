/**
 * What an MCP server is, as it shows when it is asked: the handshake, what it declares, and what it really answers.
 * Nothing is called, nothing is read, and what it asks itself is refused.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpDiagnostics, McpError } from "@zain/core/McpError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Failure from "./Failure.ts"
import * as HttpPool from "./http/HttpPool.ts"
import { isRecord, type JsonRpcMessage } from "./JsonRpc.ts"
import { type McpWire, nameOf, type WireFactory, type WireTarget } from "./McpWire.ts"
import * as ProbeLane from "./ProbeLane.ts"
import * as ProbeListing from "./ProbeListing.ts"
import * as Redactor from "./Redactor.ts"
import * as SdkHandshake from "./SdkHandshake.ts"
import * as HostGuard from "./stdio/HostGuard.ts"
import * as Target from "./Target.ts"

/** What a server may list. */
export type ListName = keyof typeof ProbeListing.methods

/** The request for a list. */
export type ListMethod = (typeof ProbeListing.methods)[ListName]

export type { Listing } from "./ProbeListing.ts"

/** `configure`: the configuration is read. `open`: the process is started. The rest are MCP's own requests. */
export type StepName = "configure" | "open" | "initialize" | ListMethod

/** `isOk`: whether it came to an answer, be it a refusal. */
export interface Step {
  readonly name: StepName
  readonly millis: number
  readonly isOk: boolean
}

/**
 * What was learned. Secrets of the configuration are redacted wherever the server repeats them.
 *
 * - `target`: the command, or the URL without its query
 * - `server`, `protocolVersion`, `capabilities`, `instructions`: as the server said them in `initialize`, word for word.
 *   They may be there although the handshake failed
 * - `lists`: `tools` is always asked for, to find what is served and not declared; the others only where they are declared,
 *   and the templates where `resources` has none
 * - `failure`: the step at which it ended, if it came to no good end, and why
 * - `diagnostics`: what was seen of the server
 */
export interface ServerReport {
  readonly target: string
  readonly steps: ReadonlyArray<Step>
  readonly server?: { readonly name: string; readonly title?: string; readonly version: string }
  readonly protocolVersion?: string
  readonly capabilities?: Readonly<Record<string, unknown>>
  readonly instructions?: string
  readonly lists: { readonly [name in ListName]?: ProbeListing.Listing }
  readonly failure?: { readonly step: StepName; readonly error: McpError }
  readonly diagnostics: McpDiagnostics
}

/**
 * - `environment`: variables of the host's environment that pass to a process, beside the usual ones; a name may end in `*`
 * - `connect`: how to open a wire; by the transport of the configuration by default
 */
export interface Options {
  readonly environment?: ReadonlyArray<string>
  readonly connect?: WireFactory
}

/**
 * Opens a connection, completes the handshake, asks for the lists, and closes it again. Nothing is left running.
 *
 * @param config the server. Each step may take its `connectTimeout`, and no message may be longer than its
 *   `maxMessageBytes`
 * @returns a report, whatever happens: a failure is a part of it
 *
 * **Example**
 *
 * ```ts
 * import { McpConnectionConfig } from "@zain/core"
 * import * as McpServerProbe from "@zain/sdk-client/McpServerProbe"
 * import * as Effect from "effect/Effect"
 *
 * const config = McpConnectionConfig.stdio({ command: "no-such-mcp-server", connectTimeout: "5 seconds" })
 * const { failure, lists } = await Effect.runPromise(McpServerProbe.probe(config))
 * console.log(failure?.error.message ?? lists.tools)
 * ```
 *
 * @see Model Context Protocol 2025-11-25, lifecycle and capability negotiation
 */
export const probe = (
  config: McpConnectionConfig.McpConnectionConfig,
  { connect, environment = [] }: Options = {},
): Effect.Effect<ServerReport> => {
  const asked = Result.flatMap(McpConnectionConfig.parse(config), (parsed) =>
    Result.map(Target.make(parsed, environment), (target) => ({ target, limit: parsed.connectTimeout })),
  )
  return Result.isSuccess(asked)
    ? interview(asked.success.target, asked.success.limit, connect)
    : Effect.succeed(misconfigured(asked.failure))
}

type Draft = { -readonly [K in keyof ServerReport]: ServerReport[K] } & {
  readonly steps: Array<Step>
  readonly lists: { [name in ListName]?: ProbeListing.Listing }
}

interface Stopped {
  readonly step: StepName
  readonly error: McpError
}

const misconfigured = (error: McpError): ServerReport => ({
  target: "",
  steps: [{ name: "configure", millis: 0, isOk: false }],
  lists: {},
  failure: { step: "configure", error },
  diagnostics: {},
})

const interview = (
  target: WireTarget,
  limit: Duration.Duration,
  connect: WireFactory | undefined,
): Effect.Effect<ServerReport> =>
  Effect.suspend(() => {
    const redact = Redactor.make(target.secrets)
    const server = nameOf(target)
    const report: Draft = { target: server, steps: [], lists: {}, diagnostics: {} }
    let wire: McpWire | undefined
    const about = (): Failure.About => ({
      server,
      delivery: "not-sent",
      diagnostics: wire?.diagnostics() ?? {},
    })

    /** Runs a step within its time, and notes how long it took. Nothing comes of one that is late. */
    const step = <A, R>(name: StepName, work: Effect.Effect<A, McpError, R>) =>
      Effect.timed(Effect.result(Effect.timeoutOption(work, limit))).pipe(
        Effect.flatMap(([took, done]): Effect.Effect<Option.Option<A>, Stopped> => {
          const isOk = Result.isSuccess(done) && Option.isSome(done.success)
          report.steps.push({ name, millis: Math.round(Duration.toMillis(took) * 10) / 10, isOk })
          return Result.isSuccess(done)
            ? Effect.succeed(done.success)
            : Effect.fail({ step: name, error: done.failure })
        }),
      )
    const needed = <A, R>(name: StepName, work: Effect.Effect<A, McpError, R>) =>
      Effect.flatMap(
        step(name, work),
        (done): Effect.Effect<A, Stopped> =>
          Option.isSome(done)
            ? Effect.succeed(done.value)
            : Effect.fail({ step: name, error: Failure.connectTimeout(about(), limit) }),
      )
    const list = (lane: ProbeLane.ProbeLane, name: ListName) =>
      Effect.map(step(ProbeListing.methods[name], ProbeListing.ask(lane, name, about)), (came) => {
        const listing = Option.getOrElse(came, (): ProbeListing.Listing => ({ _tag: "Silent" }))
        report.lists[name] = listing
        return listing
      })

    const work = Effect.gen(function* () {
      yield* Effect.promise(SdkHandshake.load)
      const open = connect ?? Target.wires(yield* HostGuard.make, yield* HttpPool.make)
      const opened = yield* needed("open", open(target))
      wire = opened
      const sdk = SdkHandshake.make(opened, {})
      const lane = yield* ProbeLane.make(opened, (message) => {
        Object.assign(report, introduction(message))
        sdk.message(message)
      })
      yield* Effect.addFinalizer(() => Effect.sync(sdk.end))
      const handshake = Effect.mapError(sdk.handshake, ({ message }) =>
        Failure.notAnMcpServer({ ...about(), cause: new Error(redact(message)) }, message),
      )
      yield* needed("initialize", Effect.raceFirst(lane.ended, handshake))

      const { prompts, resources } = report.capabilities ?? {}
      yield* list(lane, "tools")
      if (resources !== undefined) {
        const found = yield* list(lane, "resources")
        const isEmpty = found._tag === "Refused" || (found._tag === "Served" && found.count === 0)
        if (isEmpty) yield* list(lane, "resourceTemplates")
      }
      if (prompts !== undefined) yield* list(lane, "prompts")
    })
    return Effect.scoped(Effect.result(work)).pipe(
      Effect.map((result) => {
        if (Result.isFailure(result)) {
          const { error, step } = result.failure
          report.failure = { step, error: Failure.redacted(Failure.notSent(error), redact) }
        }
        const diagnostics = wire?.diagnostics() ?? {}
        return { ...cleaned(report, redact), diagnostics }
      }),
    )
  })

/** What the answer to `initialize` says, well formed or not. */
const introduction = (message: JsonRpcMessage): Partial<ServerReport> => {
  const result = "result" in message ? message.result : undefined
  if (!isRecord(result) || typeof result["protocolVersion"] !== "string") return {}
  const { capabilities, instructions, protocolVersion, serverInfo } = result
  const { name, title, version } = isRecord(serverInfo) ? serverInfo : {}
  return {
    protocolVersion,
    ...(isRecord(capabilities) ? { capabilities } : {}),
    ...(typeof instructions === "string" ? { instructions } : {}),
    ...(typeof name === "string" && typeof version === "string"
      ? { server: { name, version, ...(typeof title === "string" ? { title } : {}) } }
      : {}),
  }
}

/** What goes deeper is meant to do harm. */
const deepest = 32

/** A server may repeat what it was given. Errors are cleaned where they are made, and keep being errors. */
const cleaned = ({ failure, ...report }: Draft, redact: Redactor.Redactor): ServerReport => {
  const clean = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return redact(value)
    if (depth > deepest) return "…"
    if (Array.isArray(value)) return value.map((one) => clean(one, depth + 1))
    if (!isRecord(value) || value instanceof Error) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [redact(name), clean(one, depth + 1)]))
  }
  return { ...(clean(report, 0) as Omit<ServerReport, "failure">), ...(failure === undefined ? {} : { failure }) }
}
