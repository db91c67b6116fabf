import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Examples from "../../packages/editor-blender/testing/Examples.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as RealBlender from "../src/RealBlender.ts"

const title = "returns the answers that docs/reference/blender-graphql.md shows for its examples (editors 003.8, 003.9)"

describe("a real Blender", () => {
  it.live.skipIf(isSkipped("blender", title))(title, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { files, place } = yield* RealBlender.start
        const answers = yield* Examples.answers(place, files)
        assert.deepStrictEqual(Object.fromEntries(answers), Object.fromEntries(yield* Examples.expected))
      }),
    ),
  )
})
