/**
 * One real Blender for the tests of a `describe`: a start takes seconds.
 */
import { afterAll, assert, beforeAll } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { blender as profile } from "../../packages/editor-server/src/blender/BlenderProfile.ts"
import type { StartServer } from "../../packages/editor-server/test/blender/BlenderSubject.ts"
import * as HeadlessBlender from "../../packages/editor-server/test/blender/HeadlessBlender.ts"
import * as Editors from "../../packages/editor-server/test/Editors.ts"

/** The file that the scene is saved to that Blender starts with. */
const clean = "clean.blend"

/** Starts Blender before the tests, and ends it after them. What is returned starts a server, and resets the scene. */
export const shared = (): StartServer => {
  const scope = Scope.makeUnsafe()
  let blender: Effect.Success<typeof HeadlessBlender.start>
  const started = Effect.fnUntraced(function* (tool: string) {
    const { port, token } = blender
    const server = yield* Editors.server(profile, [{ host: "127.0.0.1", port, token: Redacted.make(token) }])
    const { call } = yield* Editors.client(server)
    const result = yield* call(tool, { file: clean })
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
  return Effect.suspend(() => started("scene.open"))
}
