/**
 * `zain-editor-mcp addon`: the add-on of Blender as a file.
 */
import { resolve } from "node:path"
import * as AddOnZip from "@zain/editor-blender/AddOnZip"
import * as Effect from "effect/Effect"

/** @returns exit code 0 */
export const run = Effect.fnUntraced(function* (file: string) {
  const path = resolve(file)
  yield* Effect.mapError(AddOnZip.write(path), (problem) => new Error(problem))
  process.stdout.write(
    `Wrote ${path}. Install it in Blender: Edit > Preferences > Add-ons > Install (4.2 and later: Install from Disk).\n`,
  )
  return 0
})
