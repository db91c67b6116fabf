/**
 * Editors as an MCP server.
 */
import * as ToolServer from "@zain/tool-server/ToolServer"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import { label, type Target } from "../link/Target.ts"
import * as CatalogueCache from "../services/CatalogueCache.ts"
import * as EditorSession from "../services/EditorSession.ts"
import * as EditorClient from "./EditorClient.ts"
import type { EditorSettings } from "./EditorSettings.ts"
import * as Guidance from "./Guidance.ts"

/** More than the link takes, whose refusal says more. */
const maxCalls = 2_048

/** A server of editors, for any number of clients at once; connections that clients share end with the Scope. */
export const make = Effect.fnUntraced(function* (
  profile: EditorProfile,
  settings: EditorSettings,
): Effect.fn.Return<ToolServer.ToolServer, never, Scope.Scope> {
  const session = (target: Target, clientName: string, keepsTools: boolean) =>
    EditorSession.make(profile, {
      keepsTools,
      projectRoot: settings.projectRoot,
      cache:
        settings.cacheDirectory === undefined
          ? CatalogueCache.none
          : CatalogueCache.make(settings.cacheDirectory, profile.name, target, settings.project),
      link: {
        target,
        connect: settings.connect(target),
        hello: {
          clientName,
          isDevelopment: settings.isDevelopment,
          wantsProject: settings.project !== undefined,
        },
        grace: settings.grace,
        project: settings.project,
        reconnects: settings.reconnects,
        maxFrame: settings.maxFrame,
        ...(settings.trace === undefined ? {} : { trace: settings.trace }),
        log: (event, detail) =>
          settings.log({ level: "warn", event, detail, client: clientName, editor: label(target) }),
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
  return ToolServer.make({
    name: `zain-${profile.name}-mcp`,
    title: profile.title,
    version: settings.version,
    instructions: Guidance.instructions(profile, [], false),
    maxCalls,
    client: () =>
      Effect.map(Effect.scope, (scope) =>
        EditorClient.make(profile, settings, (clientName, keepsTools) =>
          shared === undefined ? Scope.provide(sessions(clientName, keepsTools), scope) : Effect.succeed(shared),
        ),
      ),
    tools: ({ tools }) => tools,
    beforeInitialize: ({ begin }, hello) => begin(hello),
  })
})
