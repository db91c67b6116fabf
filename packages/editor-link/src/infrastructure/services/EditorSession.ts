/**
 * One editor: its link, services and notices.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { ConnectionService } from "../../application/ConnectionService.ts"
import { ContentService } from "../../application/ContentService.ts"
import type { DiscoveryService } from "../../application/DiscoveryService.ts"
import { EventService } from "../../application/EventService.ts"
import type { MessageService } from "../../application/MessageService.ts"
import type { ToolManagementService } from "../../application/ToolManagementService.ts"
import type { ToolQueryService } from "../../application/ToolQueryService.ts"
import * as HandleConnectionLost from "../../application/use-cases/HandleConnectionLost.ts"
import * as ProcessNotification from "../../application/use-cases/ProcessNotification.ts"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import * as Timeout from "../../domain/Timeout.ts"
import * as EditorLink from "../link/EditorLink.ts"
import type { CatalogueCache } from "./CatalogueCache.ts"
import * as Content from "./Content.ts"
import * as LinkServices from "./LinkServices.ts"
import * as ToolManagement from "./ToolManagement.ts"

/** The services of an editor. A missing one does not compile. */
export type EditorServices =
  | ConnectionService
  | ContentService
  | DiscoveryService
  | EventService
  | MessageService
  | ToolManagementService
  | ToolQueryService

export interface EditorSessionOptions {
  /** See `EditorLink.LinkOptions`. */
  readonly link: EditorLink.LinkOptions
  readonly cache: CatalogueCache
  /** `--timeout`; the profile's if undefined. */
  readonly timeout: Duration.Duration | undefined
  /** The directory of the project, in place of what the editor reports. */
  readonly projectRoot: string | undefined
  /** Whether the tools stay when the editor is lost, because its client requests them only once. */
  readonly keepsTools: boolean
}

/** The services of one editor: each is built once. */
export const layer = (profile: EditorProfile, { cache, link, projectRoot, timeout }: EditorSessionOptions) => {
  const { connection, discovery, event } = LinkServices
  const message = LinkServices.message(Timeout.of(profile, timeout))
  const tools = ToolManagement.layer(profile, { hello: link.hello, cache }).pipe(Layer.provideMerge(message))
  const query = ToolManagement.query.pipe(Layer.provideMerge(tools))
  return Layer.mergeAll(connection(graceOf(link), projectRoot), discovery, event, query).pipe(
    Layer.provideMerge(Content.layer(Timeout.of(profile))),
    Layer.provideMerge(Layer.effect(LinkServices.Link, EditorLink.make(profile, link))),
  )
}

/** Notices that come so close together are one. Of two bursts, the second only says that there is more. */
const burst = "100 millis"
const maxBurst = 256
const burstsAtOnce = 2

/** An editor, until the Scope closes. Nothing is connected before `DiscoveryService.startDiscovery`, or a call. */
export const make = Effect.fnUntraced(function* (
  profile: EditorProfile,
  options: EditorSessionOptions,
): Effect.fn.Return<Context.Context<EditorServices>, never, Scope.Scope> {
  const services = yield* Layer.build(layer(profile, options))
  const { state } = Context.get(services, LinkServices.Link)
  const { notices, sendToolsChanged } = Context.get(services, EventService)
  const { log } = options.link

  const { forget, sendContentChanged } = Context.get(services, ContentService)
  const renewed = Effect.andThen(forget, sendContentChanged)
  const noticed = notices.pipe(
    Stream.tap(({ kind }) => (kind === "content-changed" ? renewed : Effect.void)),
    Stream.filter(({ kind }) => kind === "tools-changed"),
    Stream.groupedWithin(maxBurst, burst),
    Stream.mapEffect(
      (found) =>
        Effect.forEach(found.slice(-1), (notice) => ProcessNotification.execute({ notice }), { discard: true }).pipe(
          Effect.catch((error) => Effect.sync(() => log?.("tools not renewed", error.message))),
        ),
      { concurrency: burstsAtOnce },
    ),
    Stream.runDrain,
  )
  const isCleared = !options.keepsTools || Duration.toMillis(graceOf(options.link)) === 0
  let hasBeen = false
  const watched = SubscriptionRef.changes(state).pipe(
    // What comes next takes the place of what was waited for.
    Stream.switchMap((now) => {
      if (now._tag === "Ready") {
        // What was read on this connection already is not out of date.
        const isBack = hasBeen
        hasBeen = true
        return Stream.fromEffect(Effect.andThen(sendToolsChanged, isBack ? renewed : sendContentChanged))
      }
      if (now._tag !== "Away") return Stream.empty
      return Stream.fromEffect(Effect.andThen(forget, HandleConnectionLost.execute({ isCleared })))
    }),
    Stream.runDrain,
  )
  yield* Effect.forkScoped(Effect.provideContext(noticed, services))
  yield* Effect.forkScoped(Effect.provideContext(watched, services))
  return services
})

const graceOf = ({ grace = EditorLink.usualGrace }: EditorLink.LinkOptions) => grace
