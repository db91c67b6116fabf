/**
 * What an MCP server is, as it shows when it is asked: the handshake, what it declares, and what it really answers.
 * Nothing is called, nothing is read, and what it asks itself is refused.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpDiagnostics, McpError } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import * as Redactor from "@zain/process/Redactor"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as ConnectionTarget from "./ConnectionTarget.ts"
import * as Failure from "./Failure.ts"
import { type McpWire, nameOf, type WireFactory, type WireTarget } from "./McpWire.ts"
import * as ProbeIntroduction from "./ProbeIntroduction.ts"
import * as ProbeLane from "./ProbeLane.ts"
import * as ProbeListing from "./ProbeListing.ts"
import * as SdkHandshake from "./SdkHandshake.ts"
import * as ToolFaults from "./ToolFaults.ts"

/** What a server may list. */
export type ListName = keyof typeof ProbeListing.methods

/** The request for a list. */
export type ListMethod = (typeof ProbeListing.methods)[ListName]

export { type Listing, methods as listMethods, type Served } from "./ProbeListing.ts"
export type { ToolFault } from "./ToolFaults.ts"

/** A capability with notifications of changes, `notifications/…/list_changed`. */
export type ChangingList = (typeof changing)[number]

/** `configure`: the configuration is read. `open`: the process is started. The rest are MCP's own requests. */
export type StepName = "configure" | "open" | "initialize" | ListMethod

/** `isOk`: whether it came to an answer, be it a refusal. */
export interface Step {
  readonly name: StepName
  readonly millis: number
  readonly isOk: boolean
}

/**
 * What was learned. Secrets of the configuration are redacted wherever the server repeats them: in its texts, and not in
 * the words of MCP or of this report.
 *
 * - `target`: the command, or the URL without its query
 * - `server`, `protocolVersion`, `capabilities`, `instructions`: as the server said them in `initialize`, word for word,
 *   up to a length. They may be there although the handshake failed
 * - `lists`: `tools` is always asked for, to find what is served and not declared; the others only where they are declared,
 *   and the templates where `resources` has none
 * - `toolFaults`: wrong names and schemas of the listed tools, the first fifty of each
 * - `changes`: the lists of which the server said, by `notifications/…/list_changed`, that they have changed
 * - `failure`: the step at which it ended, if it came to no good end, and why
 * - `foreign`: the first line of its standard output that is no MCP, up to a length
 * - `isFramed`: whether it framed its messages by `Content-Length` headers, in the place of lines
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
  readonly toolFaults: ReadonlyArray<ToolFaults.ToolFault>
  readonly changes: ReadonlyArray<ChangingList>
  readonly failure?: { readonly step: StepName; readonly error: McpError }
  readonly foreign?: string
  readonly isFramed: boolean
  readonly diagnostics: McpDiagnostics
}

/**
 * - `environment`: variables of the host's environment that pass to a process, beside the usual ones; a name may end in `*`
 * - `secrets`: what must not show, beside the secrets of the configuration
 * - `connect`: how to open a wire; by the transport of the configuration by default
 */
export interface Options {
  readonly environment?: ReadonlyArray<string>
  readonly secrets?: ReadonlyArray<string>
  readonly connect?: WireFactory
}

/**
 * Opens a connection, completes the handshake, asks for the lists, and closes it again. Nothing is left running.
 *
 * @param config the server. Each step may take its `connectTimeout`, and no message may be longer than its
 *   `maxMessageBytes`
 * @returns a report, whatever happens: a failure is a part of it
 *
 * @example
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
  { connect, environment = [], secrets = [] }: Options = {},
): Effect.Effect<ServerReport> => {
  const asked = Result.flatMap(McpConnectionConfig.parse(config), (parsed) =>
    Result.map(ConnectionTarget.make(parsed, environment), (target) => ({
      target: { ...target, secrets: [...target.secrets, ...secrets] },
      limit: parsed.connectTimeout,
    })),
  )
  return Result.isSuccess(asked)
    ? interview(asked.success.target, asked.success.limit, connect)
    : Effect.succeed(misconfigured(asked.failure))
}

type Draft = { -readonly [K in keyof ServerReport]: ServerReport[K] } & {
  readonly steps: Array<Step>
  readonly changes: Array<ChangingList>
  readonly lists: { [name in ListName]?: ProbeListing.Listing }
}

interface Stopped {
  readonly step: StepName
  readonly error: McpError
}

const draft = (target: string): Draft => ({
  target,
  steps: [],
  lists: {},
  toolFaults: [],
  changes: [],
  isFramed: false,
  diagnostics: {},
})

const misconfigured = (error: McpError): ServerReport => ({
  ...draft(""),
  steps: [{ name: "configure", millis: 0, isOk: false }],
  failure: { step: "configure", error },
})

const interview = (target: WireTarget, limit: Duration.Duration, connect: WireFactory | undefined) =>
  Effect.suspend(() => {
    const redact = Redactor.make(target.secrets)
    const server = nameOf(target)
    /** A server may repeat what it was given. Errors are cleaned where they are made. */
    const text: ProbeIntroduction.Clean = (said, longest = longestText) => clipped(redact(said), longest)
    const faults = ToolFaults.make(text)
    const report = draft(server)
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
    const note = (name: ListName, listing: ProbeListing.Listing) => {
      report.lists[name] = ProbeListing.cleaned(listing, text)
    }
    const list = Effect.fnUntraced(function* (lane: ProbeLane.ProbeLane, name: ListName) {
      let partial: ProbeListing.Served | undefined
      const asked = ProbeListing.ask(lane, name, about, {
        came: (pages) => {
          partial = pages
        },
        ...(name === "tools" ? { items: faults.take } : {}),
      })
      const came = yield* Effect.tapError(step(ProbeListing.methods[name], asked), ({ error }) =>
        Effect.sync(() => {
          if (partial !== undefined) note(name, { _tag: "Failed", error, partial })
        }),
      )
      const silent = { _tag: "Silent", ...(partial === undefined ? {} : { partial }) } as const
      const listing = Option.getOrElse(came, (): ProbeListing.Listing => silent)
      note(name, listing)
      return listing
    })

    const work = Effect.gen(function* () {
      yield* Effect.promise(SdkHandshake.load)
      const open = Effect.provideContext(
        (connect ?? ConnectionTarget.open)(target),
        yield* Layer.build(ConnectionTarget.layer),
      )
      const opened = yield* needed("open", open)
      wire = opened
      const sdk = SdkHandshake.make(opened, {})
      const lane = yield* ProbeLane.make(opened, (message) => {
        Object.assign(report, ProbeIntroduction.make(message, text))
        const changed = changedBy(message)
        if (changed !== undefined && !report.changes.includes(changed)) report.changes.push(changed)
        sdk.message(message)
      })
      yield* Effect.addFinalizer(() => Effect.sync(sdk.end))
      const handshake = Effect.mapError(sdk.handshake, ({ message }) => {
        const why = { ...about(), cause: new Error(redact(message)) }
        return report.protocolVersion === undefined
          ? Failure.notAnMcpServer(why, message)
          : Failure.protocolViolation(why, message)
      })
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
        const foreign = wire?.foreign?.()
        return {
          ...report,
          toolFaults: faults.found(),
          isFramed: wire?.isFramed?.() ?? false,
          ...(foreign === undefined ? {} : { foreign: text(foreign, longestForeign) }),
          diagnostics: wire?.diagnostics() ?? {},
        }
      }),
    )
  })

const changing = ["tools", "resources", "prompts"] as const

const changedBy = (message: JsonRpcMessage): ChangingList | undefined => {
  const method = "method" in message ? message.method : undefined
  return changing.find((name) => method === `notifications/${name}/list_changed`)
}

const longestText = 4_000
const longestForeign = 200

const clipped = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`
