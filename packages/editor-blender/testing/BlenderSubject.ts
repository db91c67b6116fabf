/**
 * Clients of a server before a Blender, fake or real, and what tests of both call.
 */

import type { EditorServer } from "@zain/editor-link/infrastructure/mcp/EditorServer"
import { Effect, type Scope } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"

/** Starts a server before a Blender whose scene is the one that Blender starts with. */
export type StartServer = Effect.Effect<EditorServer, unknown, Scope.Scope>

/** `reach`: how clients reach the server (default: in the same process). */
export interface BlenderSubject {
  readonly start: StartServer
  readonly reach?: Editors.Reach
}

/**
 * A client of a new server.
 *
 * - `another`: one more
 * - `scene`: what is asked of the scene's context; `digest`: that it is the same scene
 */
export const begin = Effect.fnUntraced(function* ({ reach, start }: BlenderSubject) {
  const server = yield* start
  const client = yield* Editors.client(server, "test-client", reach)
  const another = Editors.client(server, "another", reach)
  const scene = (fields: string) =>
    Effect.map(
      client.call("scene.query", { query: `{ scene { context { ${fields} } } }` }),
      (result) => jsonOf(result).data.scene.context,
    )
  const digest = Effect.map(scene("digest"), ({ digest }): unknown => digest)
  return { server, another, scene, digest, ...client }
})

export const cube = (name: string, location = { x: 0, y: 0, z: 0 }) => ({
  create: { primitive: "cube", name, transform: { location } },
})

export const jsonOf = (result: Parameters<typeof Editors.textOf>[0]) => JSON.parse(Editors.textOf(result))

/** What the work fails with. */
export const failureOf = (work: () => Promise<unknown>) =>
  Effect.promise(() =>
    work().then(
      () => undefined,
      (error) => error,
    ),
  )
