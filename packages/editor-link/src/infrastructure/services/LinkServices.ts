/**
 * The services of one editor, over its link.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { ConnectionService } from "../../application/ConnectionService.ts"
import { ContentService } from "../../application/ContentService.ts"
import { DiscoveryService } from "../../application/DiscoveryService.ts"
import { EventService } from "../../application/EventService.ts"
import { MessageService } from "../../application/MessageService.ts"
import { ToolExecutionError } from "../../domain/DomainError.ts"
import type { TimeoutOf } from "../../domain/Timeout.ts"
import type * as EditorLink from "../link/EditorLink.ts"
import * as LinkState from "../link/LinkState.ts"

/** A link to an editor. */
export class Link extends Context.Service<Link, EditorLink.EditorLink>()("@zain/editor-server/Link") {}

const projectUnknown = new ToolExecutionError({
  message: "The editor does not report the directory of its project. Name it with UNITY_PROJECT_ROOT.",
  delivery: "not-sent",
  reason: "editor",
})

/**
 * @param grace how long calls wait for an editor that was there
 * @param projectRoot the directory of the project, in place of what the editor reports
 */
export const connection = (grace: Duration.Duration, projectRoot: string | undefined) =>
  Layer.effect(
    ConnectionService,
    Effect.map(Link, ({ ready, state }) => ({
      state: Effect.map(SubscriptionRef.get(state), ({ _tag }) => _tag),
      isConnected: Effect.map(SubscriptionRef.get(state), ({ _tag }) => _tag === "Ready"),
      ensureConnected: ready,
      waitForConnection: (timeout) =>
        SubscriptionRef.changes(state).pipe(
          Stream.filter((now) => now._tag === "Ready" || (now._tag === "Connecting" && now.failure !== undefined)),
          Stream.runHead,
          Effect.timeoutOption(timeout),
          Effect.map((found) => Option.flatten(found)),
          Effect.map((found) => Option.isSome(found) && found.value._tag === "Ready"),
        ),
      handleConnectionLost: Effect.gen(function* () {
        const end = LinkState.waitsUntil(SubscriptionRef.getUnsafe(state), Duration.toMillis(grace))
        yield* Effect.sleep(Math.max(0, end - (yield* Clock.currentTimeMillis)))
      }),
      project: Effect.suspend(() => {
        if (projectRoot !== undefined) return Effect.succeed(projectRoot)
        return Effect.flatMap(Effect.andThen(ready, SubscriptionRef.get(state)), (now) =>
          now._tag === "Ready" && now.hello.project !== undefined
            ? Effect.succeed(now.hello.project)
            : Effect.fail(projectUnknown),
        )
      }),
    })),
  )

export const discovery = Layer.effect(
  DiscoveryService,
  Effect.map(Link, ({ open }) => ({ startDiscovery: open })),
)

export const message = (timeoutOf: TimeoutOf) =>
  Layer.effect(
    MessageService,
    Effect.gen(function* () {
      const { request } = yield* Link
      const { forget } = yield* ContentService
      return {
        request: (method, params, { isRepeatable, log, timeoutMs }) => {
          const deadline = timeoutMs === undefined ? timeoutOf(params) : Duration.millis(timeoutMs)
          const answer = request(method, params, { deadline, isRepeatable, log })
          // What may have changed something makes what was read out of date, however it ended.
          return isRepeatable ? answer : Effect.ensuring(answer, forget)
        },
      }
    }),
  )

export const event = Layer.effect(
  EventService,
  Effect.gen(function* () {
    const { notices } = yield* Link
    // What happened before a reader came is seen by it all the same: once.
    const changes = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
    return {
      notices,
      sendToolsChanged: Effect.asVoid(PubSub.publish(changes, undefined)),
      toolsChanged: Stream.fromPubSub(changes),
    }
  }),
)
