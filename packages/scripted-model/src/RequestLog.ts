/**
 * Records every request to a model, and how each ended.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ModelRequest } from "./ModelRequest.ts"
import type { ScriptedModelError } from "./ScriptedModelError.ts"
import { failure } from "./ScriptFailure.ts"

/**
 * - `record`: adds a request and assigns its index
 * - `ended`: sets how its exchange ended; only the first call for a request has an effect
 * - `awaitRequest`: the first match, past or future; fails with `closed`
 * - `awaitGone`: succeeds when the client has disconnected before the end of the answer; fails with `already-answered`,
 *   `unknown-request` or `closed`
 */
export interface RequestLog {
  readonly record: (request: Omit<ModelRequest, "index">) => ModelRequest
  readonly ended: (request: ModelRequest, outcome: "answered" | "gone") => void
  readonly requests: Effect.Effect<ReadonlyArray<ModelRequest>>
  readonly awaitRequest: (
    predicate: (request: ModelRequest) => boolean,
  ) => Effect.Effect<ModelRequest, ScriptedModelError>
  readonly awaitGone: (request: ModelRequest) => Effect.Effect<void, ScriptedModelError>
}

const closedError = (waitedFor: string) => failure("closed", `The scripted model was closed before ${waitedFor}.`)

/** Makes a log. When the Scope closes, all waits fail with `closed`. */
export const make: Effect.Effect<RequestLog, never, Scope.Scope> = Effect.gen(function* () {
  const requests: Array<ModelRequest> = []
  const endings: Array<Deferred.Deferred<void, ScriptedModelError>> = []
  let closed = false
  let changed = Deferred.makeUnsafe<void>()

  const signal = () => {
    const waiting = changed
    changed = Deferred.makeUnsafe()
    Deferred.doneUnsafe(waiting, Effect.void)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      signal()
      for (const [index, ending] of endings.entries()) {
        Deferred.doneUnsafe(ending, Effect.fail(closedError(`the client of request ${index} left`)))
      }
    }),
  )

  const awaitFrom = (
    from: number,
    predicate: (request: ModelRequest) => boolean,
  ): Effect.Effect<ModelRequest, ScriptedModelError> =>
    Effect.suspend(() => {
      const end = requests.length
      for (let index = from; index < end; index++) {
        const request = requests[index]
        if (request !== undefined && predicate(request)) return Effect.succeed(request)
      }
      if (closed) return Effect.fail(closedError(`a matching request arrived (${end} did)`))
      return Effect.andThen(Deferred.await(changed), awaitFrom(end, predicate))
    })

  return {
    record: (content) => {
      const request = { ...content, index: requests.length }
      requests.push(request)
      endings.push(Deferred.makeUnsafe())
      signal()
      return request
    },
    ended: ({ index }, outcome) => {
      const ending = endings[index]
      if (ending === undefined) return
      const result =
        outcome === "gone"
          ? Effect.void
          : Effect.fail(
              failure(
                "already-answered",
                `Request ${index} was answered before its client left. Play \`hang\` for a turn to cancel.`,
              ),
            )
      Deferred.doneUnsafe(ending, result)
    },
    requests: Effect.sync(() => requests.slice()),
    awaitRequest: (predicate) => awaitFrom(0, predicate),
    awaitGone: ({ index }) =>
      Effect.suspend(() => {
        const ending = endings[index]
        if (ending !== undefined) return Deferred.await(ending)
        return Effect.fail(failure("unknown-request", `No request ${index} was recorded by this model.`))
      }),
  }
})
