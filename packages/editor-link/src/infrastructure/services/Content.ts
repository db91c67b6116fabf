/**
 * What an editor holds, read once until it may have changed.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { ContentService } from "../../application/ContentService.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import type { TimeoutOf } from "../../domain/Timeout.ts"
import { Link } from "./LinkServices.ts"

/** How many different reads are kept. */
const maxReads = 64

/** @param timeoutOf of the profile alone: `--timeout` does not shorten these reads */
export const layer = (timeoutOf: TimeoutOf) =>
  Layer.effect(
    ContentService,
    Effect.gen(function* () {
      const { request } = yield* Link
      const run = yield* FiberSet.makeRuntime<never, unknown, DomainError>()
      const changes = yield* PubSub.sliding<void>(1)
      /** Reads that ended, and those under way, which belong to every client that waits for them. */
      const reads = new Map<string, Fiber.Fiber<unknown, DomainError>>()
      const forget = Effect.sync(() => reads.clear())
      return ContentService.of({
        read: (method, params) =>
          Effect.suspend(() => {
            const key = JSON.stringify([method, params])
            const known = reads.get(key)
            if (known !== undefined) return Fiber.join(known)
            const fiber = run(request(method, params, { deadline: timeoutOf(params), isRepeatable: true }))
            const [oldest] = reads.keys()
            if (reads.size >= maxReads && oldest !== undefined) reads.delete(oldest)
            reads.set(key, fiber)
            fiber.addObserver((exit) => {
              if (exit._tag === "Failure" && reads.get(key) === fiber) reads.delete(key)
            })
            return Fiber.join(fiber)
          }),
        forget,
        sendContentChanged: Effect.asVoid(PubSub.publish(changes, undefined)),
        contentChanged: Stream.fromPubSub(changes),
      })
    }),
  )
