/**
 * What the profile `blender` does behind MCP, whichever Blender is behind it: the same tests for the fake of its bridge and for
 * a real Blender.
 */
import { describe } from "@effect/vitest"
import { callSuite } from "./BlenderCallSuite.ts"
import { featureSuite } from "./BlenderFeatureSuite.ts"
import type { BlenderSubject } from "./BlenderSubject.ts"

/** @param title which Blender it is, and how clients reach its server */
export const blenderSuite = (title: string, subject: BlenderSubject) =>
  describe(title, () => {
    featureSuite(subject)
    callSuite(subject)
  })
