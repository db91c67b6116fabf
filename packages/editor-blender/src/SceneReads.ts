/**
 * The reads of one query, which share requests: one of the scene, one of named objects, one of the selected ones.
 */
import * as Effect from "effect/Effect"
import { ask, type Bridge, type BridgeFailure, malformed, type Params } from "./Bridge.ts"

/** Runs an Effect within the query, which ends it when it ends itself. */
export type Run = <A>(effect: Effect.Effect<A, BridgeFailure>) => Promise<A>

/** Each promises what was asked for, and maybe more of it: the fields of all that ask are united. */
export interface SceneReads {
  readonly scene: (fields: ReadonlyArray<string>) => Promise<Params>
  readonly selected: (fields: ReadonlyArray<string>) => Promise<ReadonlyArray<Params>>
  /** Returns the objects that match a filter. */
  readonly list: (params: Params) => Promise<ReadonlyArray<Params>>
  /** Returns undefined if no object has the name. */
  readonly object: (name: string, fields: ReadonlyArray<string>) => Promise<Params | null>
}

/** What is asked for in one turn of the event loop is read by one request. */
const shared = <A>(send: (fields: ReadonlyArray<string>) => Promise<A>) => {
  let fields = new Set<string>()
  let answer: Promise<A> | undefined
  return (more: ReadonlyArray<string>): Promise<A> => {
    for (const field of more) fields.add(field)
    answer ??= Promise.resolve().then(() => {
      const asked = [...fields]
      answer = undefined
      fields = new Set()
      return send(asked)
    })
    return answer
  }
}

export const make = (bridge: Bridge, run: Run): SceneReads => {
  const objects = (params: Params) =>
    run(
      Effect.flatMap(ask(bridge, "object.read", params), ({ objects: found }) =>
        Array.isArray(found)
          ? Effect.succeed(found as ReadonlyArray<Params | null>)
          : Effect.fail(malformed("object.read")),
      ),
    )
  const scene = shared((fields) => run(ask(bridge, "scene.read", { fields })))
  const selected = shared((fields) => objects({ fields, selected: true }))
  let names = new Set<string>()
  const byName = shared(async (fields) => {
    const asked = [...names]
    names = new Set()
    const found = await objects({ fields, names: asked })
    return new Map(asked.map((name, at) => [name, found[at] ?? null]))
  })
  const present = (found: ReadonlyArray<Params | null>) => found.filter((one) => one !== null)
  return {
    list: async (params) => present(await objects(params)),
    scene: async (fields) => (fields.length === 0 ? {} : scene(fields)),
    selected: async (fields) => present(await selected(fields)),
    object: async (name, fields) => {
      names.add(name)
      return (await byName(fields)).get(name) ?? null
    },
  }
}
