import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { schema as served } from "@zain/editor-blender/BlenderSchema"
import * as FakeBlender from "@zain/editor-blender/fake/FakeBlender"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { printSchema, validateSchema } from "graphql"
import * as GraphQlClients from "../src/GraphQlClients.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"

const apply = `mutation Apply($steps: [StepInput!]!) {
  command { apply(steps: $steps) { success error { code message } changes { created } } }
}`
const named = "query Named($name: String!) { scene { object(name: $name) { name type location { x y z } } } }"
const name = '赤い "箱"'
const variables = { steps: [{ create: { primitive: "cube", name, transform: { location: { x: 1, y: 2, z: 3 } } } }] }

interface Applied {
  readonly command: {
    readonly apply: { readonly success: boolean; readonly error: unknown; readonly changes: unknown }
  }
}
interface Named {
  readonly scene: { readonly object: Readonly<Record<string, unknown>> }
}

/** The requests of a client, for a fake and a real Blender. */
const story = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) {
  const { ask, schema } = yield* GraphQlClients.start(args, env)
  const made = yield* ask<Applied>(apply, variables)
  assert.isUndefined(made.error)
  assert.deepInclude(made.data?.command.apply, { success: true, error: null })
  assert.deepInclude(made.data?.command.apply.changes, { created: [name] })
  const found = yield* ask<Named>(named, { name })
  assert.isUndefined(found.error)
  // urql adds `__typename` to its queries.
  const { location, ...object } = found.data?.scene.object ?? {}
  assert.deepInclude(object, { name, type: "MESH" })
  assert.deepInclude(location, { x: 1, y: 2, z: 3 })
  return { ask, schema }
})

describe("a GraphQL client of `zain-editor-mcp blender http`", () => {
  const fake = Effect.gen(function* () {
    const XDG_RUNTIME_DIR = yield* directory
    yield* FakeBlender.start({ directory: join(XDG_RUNTIME_DIR, "zain-editors") })
    return { XDG_RUNTIME_DIR }
  })

  test.live(
    "(urql) creates and reads objects with variables, and receives error codes (editors 003.9, 003.17)",
    function* () {
      const { ask } = yield* story([], yield* fake)
      for (const [document, code] of [
        ["{ scen }", "VALIDATION_ERROR"],
        [named, "INVALID_VALUE"],
      ] as const) {
        const { error, data } = yield* ask(document)
        assert.isUndefined(data)
        assert.deepStrictEqual(
          error?.graphQLErrors.map(({ extensions }) => extensions["code"]),
          [code],
        )
      }
    },
  )

  test.live("(GraphiQL) builds the served schema from its own introspection query (editors 003.7)", function* () {
    const { schema } = yield* GraphQlClients.start([], yield* fake)
    const all = { inputValueDeprecation: true, schemaDescription: true, specifiedByUrl: true, oneOf: true }
    // The first is GraphiQL's default.
    for (const options of [{ inputValueDeprecation: false, schemaDescription: false }, all]) {
      const built = yield* schema(options)
      assert.isEmpty(validateSchema(built))
      if (options === all) assert.strictEqual(printSchema(built), printSchema(served))
      else assert.sameMembers(Object.keys(built.getTypeMap()), Object.keys(served.getTypeMap()))
    }
  })

  const real = "(urql) creates and reads objects in a real Blender, which its first request starts (editors 003.17)"
  it.live.skipIf(isSkipped("blender", real))(real, () => Effect.scoped(Effect.asVoid(story(["--launch"]))))
})
