/**
 * Examines an MCP server: its handshake, its declared capabilities, and its answers to list requests. The probe calls no
 * tool but the one of its options, reads no resource, and refuses the server's own requests.
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
import * as Handshake from "./Handshake.ts"
import { type McpWire, nameOf, type WireFactory, type WireTarget } from "./McpWire.ts"
import * as ProbeIntroduction from "./ProbeIntroduction.ts"
import * as ProbeLane from "./ProbeLane.ts"
import * as ProbeListing from "./ProbeListing.ts"
import * as ToolFaults from "./ToolFaults.ts"

/** A list that MCP servers may have, by the name of the member of the answer that contains it. */
export type ListName = keyof typeof ProbeListing.methods

/** The JSON-RPC method that requests a list, such as `tools/list`. */
export type ListMethod = (typeof ProbeListing.methods)[ListName]

export { type Listing, methods as listMethods, type Served } from "./ProbeListing.ts"
export type { ToolFault } from "./ToolFaults.ts"

/** A capability that can send `notifications/…/list_changed`. */
export type ChangingList = (typeof changing)[number]

/** A step of the probe: `configure` parses the configuration, `open` opens the connection; the others are MCP requests. */
export type StepName = "configure" | "open" | "initialize" | "tools/call" | ListMethod

/** How long one step of the probe took, and whether it was answered. */
export interface Step {
  /** Which step; a list is one step, however many pages it has. */
  readonly name: StepName
  /** How long the step took, in milliseconds with one decimal. */
  readonly millis: number
  /**
   * True if the step succeeded, or a list request received any answer, even a JSON-RPC error; false after a timeout or
   * a failure.
   */
  readonly isOk: boolean
}

/** The findings of a probe. Secrets of the configuration are redacted in every text of the server. */
export interface ServerReport {
  /** The command of the server, or its URL without the query; empty if the configuration is invalid. */
  readonly target: string
  /** The steps that were made, in order, those that failed or timed out included. */
  readonly steps: ReadonlyArray<Step>
  /** The `serverInfo` of `initialize`. May be present although the handshake failed. */
  readonly server?: {
    /** The server's name; a longer one is cut after 4,000 characters and ends in `…`. */
    readonly name: string
    /** The server's display name; a longer one is cut after 4,000 characters and ends in `…`. */
    readonly title?: string
    /** The server's version; a longer one is cut after 4,000 characters and ends in `…`. */
    readonly version: string
  }
  /** The revision of MCP that the server answered with. May be present although the handshake failed. */
  readonly protocolVersion?: string
  /**
   * The capabilities that the server declared, at most 2,000 objects and arrays with 200 members each, and 32 levels
   * deep.
   */
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** The `instructions` of `initialize`; a longer text is cut after 65,536 characters and ends in `…`. */
  readonly instructions?: string
  /**
   * The outcome of each list request. `tools` is always requested, to find undeclared tools; the others only if the server
   * declares them, and `resourceTemplates` only if `resources` is empty or refused.
   */
  readonly lists: { readonly [name in ListName]?: ProbeListing.Listing }
  /** The answer to the call of the options, as the server sent it; absent without a call, or if none arrived. */
  readonly called?: ProbeLane.Reply
  /** Invalid names and schemas of the listed tools, the first fifty of each. */
  readonly toolFaults: ReadonlyArray<ToolFaults.ToolFault>
  /** The lists for which the server sent `notifications/…/list_changed` during the probe. */
  readonly changes: ReadonlyArray<ChangingList>
  /** Why the probe ended early; absent if every step was made. */
  readonly failure?: {
    /** The step that timed out or failed; no step was made after it. */
    readonly step: StepName
    /** The failure; its `delivery` is always `not-sent`. */
    readonly error: McpError
  }
  /**
   * The first line of standard output that is not an MCP message; a longer one is cut after 200 characters and ends in
   * `…`.
   */
  readonly foreign?: string
  /** True if the server framed its messages with `Content-Length` headers, which MCP over stdio does not use. */
  readonly isFramed: boolean
  /** The observed facts about the server: exit code, standard error, HTTP status. */
  readonly diagnostics: McpDiagnostics
}

export type { Reply } from "./ProbeLane.ts"

/** A call of a tool. */
export interface ToolCall {
  /** The tool's name. */
  readonly name: string
  /** The tool's arguments, which are not checked. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** The time limit of the call. */
  readonly limit: Duration.Duration
}

/** What a probed process inherits, what is redacted, and how the connection is opened. */
export interface Options {
  /** The variables of the host that are passed to a process, in addition to the default ones; a name may end in `*`. */
  readonly environment?: ReadonlyArray<string>
  /** Values to redact in the report, in addition to the secrets of the configuration. */
  readonly secrets?: ReadonlyArray<string>
  /** Calls this tool after the handshake; no list is requested then. */
  readonly call?: ToolCall
  /** Opens the wire. By default the transport of the configuration. */
  readonly connect?: WireFactory
}

/**
 * Opens a connection, completes the handshake, requests the lists, and closes the connection. No process is left running.
 *
 * @param config the server. Each step is limited by its `connectTimeout`, each message by its `maxMessageBytes`
 * @param options what else to pass to the server and to redact
 * @returns the report. The effect never fails: a failure is part of the report
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
  { call, connect, environment = [], secrets = [] }: Options = {},
): Effect.Effect<ServerReport> => {
  const asked = Result.flatMap(McpConnectionConfig.parse(config), (parsed) =>
    Result.map(ConnectionTarget.make(parsed, environment), (target) => ({
      target: { ...target, secrets: [...target.secrets, ...secrets] },
      limit: parsed.connectTimeout,
    })),
  )
  return Result.isSuccess(asked)
    ? interview(asked.success.target, asked.success.limit, connect, call)
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

const interview = (
  target: WireTarget,
  limit: Duration.Duration,
  connect: WireFactory | undefined,
  call: ToolCall | undefined,
) =>
  Effect.suspend(() => {
    const redact = Redactor.make(target.secrets)
    const server = nameOf(target)
    /** Redacts and shortens a text of the server, which may repeat a secret. Errors are redacted where they are made. */
    const text: ProbeIntroduction.Clean = (said, max = maxTextLength) => clipped(redact(said), max)
    const faults = ToolFaults.make(text)
    const report = draft(server)
    let wire: McpWire | undefined
    const about = (): Failure.About => ({
      server,
      delivery: "not-sent",
      diagnostics: wire?.diagnostics() ?? {},
    })

    /** Runs a step with a time limit and records its duration; `None` after a timeout. */
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
      const open = Effect.provideContext(
        (connect ?? ConnectionTarget.open)(target),
        yield* Layer.build(ConnectionTarget.layer),
      )
      const opened = yield* needed("open", open)
      wire = opened
      const introduction = Handshake.make(opened, target, {})
      const lane = yield* ProbeLane.make(opened, (message) => {
        Object.assign(report, ProbeIntroduction.make(message, text))
        const changed = changedBy(message)
        if (changed !== undefined && !report.changes.includes(changed)) report.changes.push(changed)
        introduction.message(message)
      })
      const handshake = Effect.mapError(introduction.run, ({ message }) => {
        const why = { ...about(), cause: new Error(redact(message)) }
        return report.protocolVersion === undefined
          ? Failure.notAnMcpServer(why, message)
          : Failure.protocolViolation(why, message)
      })
      yield* needed("initialize", Effect.raceFirst(lane.ended, handshake))

      if (call !== undefined) {
        const { limit, ...params } = call
        const asked = Effect.timeoutOrElse(lane.ask("tools/call", params), {
          duration: limit,
          orElse: () => Effect.fail(Failure.unavailable("deadline-exceeded", late(server, limit), about())),
        })
        report.called = yield* Effect.mapError(asked, (error): Stopped => ({ step: "tools/call", error }))
        return
      }
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
          ...(foreign === undefined ? {} : { foreign: text(foreign, maxForeignLength) }),
          diagnostics: wire?.diagnostics() ?? {},
        }
      }),
    )
  })

const late = (server: string, limit: Duration.Duration) =>
  `${server} did not answer tools/call within ${Duration.format(limit)}.`

const changing = ["tools", "resources", "prompts"] as const

const changedBy = (message: JsonRpcMessage): ChangingList | undefined => {
  const method = "method" in message ? message.method : undefined
  return changing.find((name) => method === `notifications/${name}/list_changed`)
}

const maxTextLength = 4_000
const maxForeignLength = 200

const clipped = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`
