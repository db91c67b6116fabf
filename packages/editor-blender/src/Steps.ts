/**
 * Steps as the bridge takes them.
 */
import stepsSchema from "../bridge/zain_bridge/steps.schema.json" with { type: "json" }
import type { Params } from "./Bridge.ts"

/** The JSON Schema of steps: the resource `blender://steps/schema`. */
export const schema: Params = stepsSchema

/** The same in two parts, for a schema that has steps in it. */
const { $defs, items, maxItems, minItems } = stepsSchema
export const list: Params = { items, minItems, maxItems }
export const definitions: Params = $defs

export const primitives: ReadonlyArray<string> = $defs.step.properties.create.properties.primitive.enum

/** One member, named after what the step does. */
export type Step = Params
