/**
 * What the profile `blender` does behind MCP, whichever Blender is behind it: the same tests for the fake of its bridge and for
 * a real Blender.
 */
import { describe } from "@effect/vitest"
import { callSuite } from "./BlenderCallSuite.ts"
import { featureSuite } from "./BlenderFeatureSuite.ts"
import type { StartServer } from "./BlenderSubject.ts"

/** @param title which Blender it is */
export const blenderSuite = (title: string, start: StartServer) =>
  describe(title, () => {
    featureSuite(start)
    callSuite(start)
  })
