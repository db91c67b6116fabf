/**
 * One MCP client and its editors.
 */
import { randomUUID } from "node:crypto"
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { isRecord } from "@zain/process/JsonRpc"
import * as CallNotices from "@zain/tool-server/CallNotices"
import * as ClientAttachment from "@zain/tool-server/ClientAttachment"
import { ProtocolError } from "@zain/tool-server/ProtocolError"
import type { CallContext, CallParams, ToolClient } from "@zain/tool-server/ToolServer"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Stream from "effect/Stream"
import { ClientCompatibilityService } from "../../application/ClientCompatibilityService.ts"
import { ToolQueryService } from "../../application/ToolQueryService.ts"
import * as ExecuteTool from "../../application/use-cases/ExecuteTool.ts"
import * as InitializeServer from "../../application/use-cases/InitializeServer.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import * as Timeout from "../../domain/Timeout.ts"
import * as ToolSelection from "../../domain/ToolSelection.ts"
import * as ConnectionLines from "../record/ConnectionLines.ts"
import type * as DebugLog from "../record/DebugLog.ts"
import * as ClientCompatibility from "./ClientCompatibility.ts"
import * as ClientEditors from "./ClientEditors.ts"
import * as ClientModel from "./ClientModel.ts"
import type { EditorSettings } from "./EditorSettings.ts"
import * as Failures from "./Failures.ts"
import * as Guidance from "./Guidance.ts"
import * as ListedTools from "./ListedTools.ts"
import * as OfferedFeatures from "./OfferedFeatures.ts"

/** The client's information in `initialize`. */
export interface ClientHello {
  readonly clientInfo: { readonly name: string; readonly version?: string }
}

export interface EditorClient extends ToolClient {
  /** Starts the session; returns more members of the answer to `initialize`. */
  readonly begin: (hello: ClientHello) => Effect.Effect<Readonly<Record<string, unknown>>>
  /** The listed tools, and their changes. */
  readonly tools: { readonly list: () => ReadonlyArray<Tool>; readonly changes?: Stream.Stream<unknown> }
  /** Features beside tools, if the profile has them. */
  readonly features: OfferedFeatures.OfferedFeatures
}

/** The first revision in which wrong arguments are a result that a model reads: SEP-1303. */
const argumentsAreResults = "2025-11-25"

/** What every line of a call has. */
type CallLine = Pick<DebugLog.Line, "call" | "client">

/** How much of a tool's name is logged, in characters. */
const maxNameLength = 128

/** The longest silence of a call towards a client that asked for progress. */
const heartbeat = Duration.seconds(10)

/**
 * @param open the editors for a client of this name
 */
export const make = (
  profile: EditorProfile,
  settings: EditorSettings,
  open: (clientName: string, keepsTools: boolean) => Effect.Effect<ClientEditors.Editors>,
): EditorClient => {
  const attachment = ClientAttachment.make(Effect.void)
  let name = settings.clientName
  const editors = ClientEditors.make(profile, settings.editors)
  const executed = { ...profile, timeoutOf: Timeout.of(profile, settings.timeout) }

  const begin: EditorClient["begin"] = Effect.fnUntraced(function* ({ clientInfo }) {
    const compatibility = ClientCompatibility.make(settings, clientInfo)
    name = compatibility.clientName
    settings.log({ ...ConnectionLines.initialize(clientInfo), client: name })
    const opened = yield* open(name, !compatibility.asksAgain)
    editors.set(opened, compatibility)
    const isKnown = editors.hasTool()
    const begun = yield* Effect.forEach(
      editors.all(),
      ([editor, services]) =>
        InitializeServer.execute({ ...settings, isKnown }).pipe(
          Effect.map(({ tools }) => [editor, tools] as const),
          Effect.provideContext(services),
        ),
      { concurrency: "unbounded" },
    )
    yield* editors.seen
    const isDynamic = profile.catalogue._tag === "Dynamic"
    // Whether the client reaches some tools by `call_tool` alone.
    const isPartial = editors.hasTool((tool) => tool.name === ToolSelection.callName)
    return {
      instructions: Guidance.instructions(profile, [...editors.all().keys()], isPartial),
      ...(isDynamic && !compatibility.asksAgain ? { tools: ListedTools.make(new Map(begun)) } : {}),
      ...profile.introduction?.(settings.version),
    }
  })

  const call = (params: CallParams, context: CallContext) => attachment.use(() => logged(params, context))
  /** Every line of a call has its id. */
  const logged = (params: CallParams, context: CallContext) => {
    const line: CallLine = { call: randomUUID(), client: name }
    const begun = performance.now()
    settings.log({ ...line, level: "info", event: `${params.name.slice(0, maxNameLength)} begins` })
    return Effect.onExit(work(params, context, line), (exit) =>
      Effect.sync(() => {
        const error = Exit.isSuccess(exit)
          ? exit.value.structuredContent?.["error"]
          : { code: "interrupted or refused" }
        const code = isRecord(error) ? String(error["code"]) : "ok"
        const detail = `${code}, ${Math.round(performance.now() - begun)} ms`
        settings.log({ ...line, level: isRecord(error) ? "warn" : "info", event: "ends", detail })
      }),
    )
  }
  const work = Effect.fnUntraced(function* (params: CallParams, context: CallContext, line: CallLine) {
    const { protocolVersion } = context
    const refused = (error: DomainError, editor: string, isReading: boolean) =>
      error.reason === "arguments" && protocolVersion < argumentsAreResults
        ? Effect.fail(new ProtocolError({ code: -32_602, message: error.message }))
        : Effect.succeed(Failures.toResult(error, editor, isReading, editors.hasTool()))
    const chosen = editors.choose(params.arguments)
    if (chosen === undefined) return yield* refused(editors.noEditor(), "", false)
    const [editor, services] = chosen.editor
    const notices = yield* CallNotices.make(context.request, heartbeat)
    const asked = ToolSelection.meant(params.name, chosen.args)
    const about = { ...line, level: "debug" as const, editor: editors.labelOf(editor) }
    const request = {
      ...asked,
      longTimeout: settings.longTimeout,
      sample: (limit: Duration.Duration) => ClientModel.make(context, limit),
      progress: notices.progress,
      log: (event: string, detail?: string) =>
        settings.log({ ...about, event, ...(detail === undefined ? {} : { detail }) }),
    }
    const outcome = yield* ExecuteTool.execute(executed, request).pipe(
      Effect.provideContext(services),
      Effect.raceFirst(notices.beat(() => notices.progress())),
      Effect.result,
    )
    yield* notices.end
    if (outcome._tag === "Success") {
      return Failures.ofSuccess(outcome.success.result, Context.get(services, ClientCompatibilityService).isStructured)
    }
    const tool = yield* Context.get(services, ToolQueryService).getTool(asked.name)
    const isReading = tool !== undefined && tool.scopeOf(isRecord(asked.arguments) ? asked.arguments : {}) === "read"
    return yield* refused(outcome.failure, editor, isReading)
  })

  return {
    begin,
    call,
    isBusy: attachment.isBusy,
    leave: attachment.leave,
    tools: editors.tools,
    features: OfferedFeatures.make(editors.offering),
  }
}
