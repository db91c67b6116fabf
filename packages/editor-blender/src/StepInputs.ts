/**
 * The steps of `StepInput` values: what GraphQL says in another way becomes what the bridge takes.
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import type { BridgeFailure, Params } from "./Bridge.ts"
import type { Step } from "./Steps.ts"

/** `lookAt` loses its kind, dimensions become geometry and scale, and a member that is null is as one that is absent. */
export const read = (inputs: ReadonlyArray<Params>): Result.Result<ReadonlyArray<Step>, BridgeFailure> => {
  const steps: Array<Step> = []
  for (const [at, input] of inputs.entries()) {
    const step = withoutNulls(input) as Step
    const { camera, create } = step
    if (isRecord(camera) && isRecord(camera["lookAt"])) {
      const { object, point } = camera["lookAt"]
      steps.push({ camera: { ...camera, lookAt: object ?? point } })
    } else if (isRecord(create) && isRecord(create["geometry"]) && isRecord(create["geometry"]["dimensions"])) {
      const sized = withDimensions(create, create["geometry"], ["steps", at, "create", "geometry", "dimensions"])
      if (Result.isFailure(sized)) return Result.fail(sized.failure)
      steps.push({ create: sized.success })
    } else {
      steps.push(step)
    }
  }
  return Result.succeed(steps)
}

/** A parent that is null clears it, and the settings of a modifier are Blender's. */
const withoutNulls = (value: unknown, name = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one))
  if (!isRecord(value) || name === "settings") return value
  const members = Object.entries(value).filter(([key, member]) => member !== null || key === "parent")
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member, key)]))
}

/** Primitives of one metre across: what scale makes of them is their dimensions. */
const ofOneMetre: Readonly<Record<string, Params>> = {
  cube: { size: 1 },
  plane: { size: 1 },
  grid: { size: 1 },
  sphere: { radius: 0.5 },
  icosphere: { radius: 0.5 },
  circle: { radius: 0.5 },
  cylinder: { radius: 0.5, depth: 1 },
  cone: { radius: 0.5, depth: 1 },
}

const withDimensions = (create: Params, geometry: Params, path: ReadonlyArray<string | number>) => {
  const { depth, dimensions, radius, size, ...rest } = geometry
  const { scale, ...placed } = isRecord(create["transform"]) ? create["transform"] : {}
  const unit = ofOneMetre[String(create["primitive"])]
  const refuse = (message: string) => Result.fail<BridgeFailure>({ code: "INVALID_VALUE", message, path })
  if (unit === undefined) return refuse(`\`${create["primitive"]}\` takes no dimensions: give transform.scale.`)
  if ([size, radius, depth, scale].some((one) => one !== undefined)) {
    return refuse("Dimensions stand in place of size, radius, depth and transform.scale: give these or those.")
  }
  return Result.succeed({ ...create, geometry: { ...rest, ...unit }, transform: { ...placed, scale: dimensions } })
}
