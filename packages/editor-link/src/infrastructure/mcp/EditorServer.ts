/**
 * Editors as an MCP server.
 */
import { randomUUID } from "node:crypto"
import * as ToolServer from "@zain/tool-server/ToolServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { ConnectionService } from "../../application/ConnectionService.ts"
import { MessageService } from "../../application/MessageService.ts"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import type { EditorRoute, RoutedEditor } from "../../domain/EditorRoutes.ts"
import type { CallLog } from "../../domain/models/Requests.ts"
import { label, type Target } from "../link/Target.ts"
import * as ConnectionLines from "../record/ConnectionLines.ts"
import type * as DebugLog from "../record/DebugLog.ts"
import * as CatalogueCache from "../services/CatalogueCache.ts"
import * as EditorSession from "../services/EditorSession.ts"
import * as ClientLog from "./ClientLog.ts"
import * as EditorClient from "./EditorClient.ts"
import type { EditorSettings } from "./EditorSettings.ts"
import * as Guidance from "./Guidance.ts"

/** `routes`: what is answered over HTTP beside MCP. */
export interface EditorServer extends ToolServer.ToolServer {
  readonly routes: ReadonlyArray<EditorRoute>
}

/** A client, and its log. */
interface ServedClient extends EditorClient.EditorClient {
  readonly log: ClientLog.ClientLog
}

/** More than the link takes, whose refusal says more. */
const maxCalls = 2_048

/** A server of editors, for any number of clients at once; connections that clients share end with the Scope. */
export const make = Effect.fnUntraced(function* (
  profile: EditorProfile,
  settings: EditorSettings,
): Effect.fn.Return<EditorServer, never, Scope.Scope> {
  const editorsLog = yield* ClientLog.make(settings.log)
  const session = (target: Target, clientName: string, keepsTools: boolean) =>
    EditorSession.make(profile, {
      keepsTools,
      timeout: settings.timeout,
      projectRoot: settings.projectRoot,
      cache:
        settings.cacheDirectory === undefined
          ? CatalogueCache.none
          : CatalogueCache.make(settings.cacheDirectory, profile.name, target, settings.project),
      link: {
        ...settings,
        target,
        connect: settings.connect(target),
        hello: {
          clientName,
          isDevelopment: settings.isDevelopment,
          wantsProject: settings.project !== undefined,
        },
        watch: (event, before) => {
          const line = ConnectionLines.lineOf(event, before)
          if (line !== undefined) editorsLog.write({ ...line, client: clientName, editor: label(target) })
        },
        log: (event, detail) =>
          editorsLog.write({ level: "warn", event, detail, client: clientName, editor: label(target) }),
      },
    })
  const sessions = (clientName: string, keepsTools: boolean) =>
    Effect.map(
      Effect.forEach(settings.editors, (target) =>
        Effect.map(session(target, clientName, keepsTools), (services) => [target.name ?? "", services] as const),
      ),
      (all) => new Map(all),
    )
  const shared = profile.linkPer === "server" ? yield* sessions(settings.clientName, true) : undefined
  const { aliases, batches } = profile
  const features = {
    resources: ({ features }: ServedClient) => features.resources,
    prompts: ({ features }: ServedClient) => features.prompts,
    completions: ({ features }: ServedClient) => features.completions,
    logging: ({ log }: ServedClient) => ({
      messages: ClientLog.messages([log, editorsLog], settings.mask),
      least: ClientLog.levelOf(settings.clientLogLevel),
    }),
  }
  const name = `zain-${profile.name}-mcp`
  let isInitialized = false
  const server = ToolServer.make<ServedClient>({
    name,
    title: profile.title,
    version: settings.version,
    instructions: Guidance.instructions(profile, [], false),
    maxCalls,
    client: Effect.fnUntraced(function* () {
      const scope = yield* Effect.scope
      const log = yield* ClientLog.make(settings.log)
      const client = EditorClient.make(profile, { ...settings, log: log.write }, (clientName, keepsTools) =>
        shared === undefined ? Scope.provide(sessions(clientName, keepsTools), scope) : Effect.succeed(shared),
      )
      return { ...client, log }
    }),
    tools: ({ tools }) => tools,
    ...(profile.features === undefined ? {} : features),
    ...(aliases === undefined ? {} : { aliases }),
    ...(batches === undefined ? {} : { batches }),
    beforeInitialize: ({ begin }, hello) =>
      Effect.tap(begin(hello), () =>
        Effect.sync(() => {
          isInitialized = true
        }),
      ),
  })
  const context = {
    editors: new Map([...(shared ?? [])].map(([name, services]) => [name, routed(name, services, settings.log)])),
    server: { name, version: settings.version },
    isInitialized: () => isInitialized,
  }
  return { ...server, routes: profile.routes?.(context) ?? [] }
})

/** An editor as routes beside MCP reach it: each call has an id of its own in the log. */
const routed = (name: string, services: Context.Context<EditorSession.EditorServices>, log: DebugLog.Write) => {
  // In place of a client's name.
  const line = name === "" ? { client: "http" } : { client: "http", editor: name }
  const { request } = Context.get(services, MessageService)
  const editor: RoutedEditor = {
    send: (method, params, options) => {
      const about = { ...line, level: "debug" as const, call: randomUUID() }
      const logged: CallLog = (event, detail) => log({ ...about, event, ...(detail === undefined ? {} : { detail }) })
      return request(method, params, { isRepeatable: false, log: logged, ...options })
    },
    state: Context.get(services, ConnectionService).state,
    log: (event, detail) => log({ ...line, level: "info", event, detail }),
  }
  return editor
}
