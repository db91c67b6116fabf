/**
 * The options of operations, as parameters of the bridge's requests.
 */
import * as Effect from "effect/Effect"
import type { BridgeFailure, Params } from "./Bridge.ts"

/** `RenderParamsInput`. */
export type RenderParams = Params

/** `ExecutionOptionsInput`. */
export interface Options {
  readonly timeoutMs?: number | null
  readonly dryRun?: boolean | null
  readonly preview?: RenderParams | null
}

/** How long an operation may take in Blender, and how long at most, in milliseconds. */
export const usualTimeout = 30_000
export const maxTimeoutMillis = 600_000

/** The same of a render. */
export const usualRenderTimeout = 600_000
export const maxRenderMillis = 86_400_000

/** The largest Python code, in bytes. The time to compile it is quadratic in its functions. */
export const maxCodeBytes = 64 * 1024

/** The sides of pictures, in pixels, and their samples. */
export const pictures = { width: [16, 2_048], height: [16, 2_048], samples: [1, 256] } as const

/** A value that is out of range. */
export const refuse = (message: string, ...path: ReadonlyArray<string>) =>
  Effect.fail<BridgeFailure>({ code: "INVALID_VALUE", message, path })

/** What GraphQL gives as null is as absent. */
export const given = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null && value !== undefined))

/** @param path where the parameters stand in the input */
export const pictureOf = Effect.fnUntraced(function* (params: RenderParams, ...path: ReadonlyArray<string>) {
  for (const [name, [min, max]] of Object.entries(pictures)) {
    const value = params[name] ?? min
    if (typeof value === "number" && value >= min && value <= max) continue
    return yield* refuse(`\`${name}\` is not from ${min} to ${max}.`, ...path, name)
  }
  return given(params)
})

/** @param hasPreview whether pictures are rendered before and after */
export const paramsOf = Effect.fnUntraced(function* (options: Options | null | undefined, hasPreview: boolean) {
  const { dryRun, preview, timeoutMs } = options ?? {}
  if (timeoutMs != null && (timeoutMs < 1 || timeoutMs > maxTimeoutMillis)) {
    return yield* refuse(`\`timeoutMs\` is not from 1 to ${maxTimeoutMillis}.`, "options", "timeoutMs")
  }
  return given({
    dryRun: dryRun || null,
    timeoutMs: timeoutMs ?? usualTimeout,
    preview: hasPreview ? yield* pictureOf(preview ?? { width: 512, height: 512 }, "options", "preview") : null,
  })
})
