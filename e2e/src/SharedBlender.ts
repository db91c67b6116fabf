/**
 * One real Blender for the tests of a `describe`: a start takes seconds.
 */
import { afterAll, assert, beforeAll } from "@effect/vitest"
import { blender as profile } from "@zain/editor-blender/BlenderProfile"
import { Duration, Effect, Exit, Redacted, Scope } from "effect"
import type { BlenderSubject } from "../../packages/editor-blender/testing/BlenderSubject.ts"
import * as HeadlessBlender from "../../packages/editor-blender/testing/HeadlessBlender.ts"
import * as Editors from "../../packages/editor-link/testing/Editors.ts"

/** The file that the scene is saved to that Blender starts with. */
const clean = "clean.blend"

/**
 * Starts Blender before the tests, and ends it after them.
 *
 * - `start`: starts a server, and resets the scene
 * - `running`: waits until Blender runs code
 */
export const shared = (): BlenderSubject & { readonly running: Effect.Effect<void, Error> } => {
  const scope = Scope.makeUnsafe()
  let blender: Effect.Success<typeof HeadlessBlender.start>
  const started = Effect.fnUntraced(function* (tool: string, more: object = {}) {
    const { port, token } = blender
    const place = { host: "127.0.0.1", port, token: Redacted.make(token) }
    // A busy machine needs longer than the 30 s of the profile.
    const server = yield* Editors.server(profile, [place], { timeout: Duration.minutes(4) })
    const { call } = yield* Editors.client(server)
    const result = yield* call(tool, { file: clean, ...more })
    assert.notStrictEqual(result.isError, true, Editors.textOf(result))
    return server
  })
  beforeAll(() =>
    Effect.runPromise(
      Effect.gen(function* () {
        blender = yield* Scope.provide(HeadlessBlender.start, scope)
        yield* Effect.scoped(started("scene.save"))
      }),
    ),
  )
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return {
    start: Effect.suspend(() => started("scene.open", { discard: true })),
    running: Effect.suspend(() => blender.running),
  }
}
