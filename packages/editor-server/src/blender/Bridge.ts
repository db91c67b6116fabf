/**
 * What the operations on Blender are carried out by: requests of the bridge's protocol, on whatever carries them.
 *
 * @see blender/PROTOCOL.md
 */
import type * as Effect from "effect/Effect"

/**
 * A request that failed.
 *
 * - `code`: one of `ErrorCodes.codes`, or a code of JSON-RPC; any other text is `UNEXPECTED_ERROR`
 * - `path`: where in the params
 * - `line`: of the Python code, from 1
 * - `suggestions`: near names, or what to do; without one, those of the code
 */
export interface BridgeFailure {
  readonly code: string | number
  readonly message: string
  readonly path?: ReadonlyArray<string | number>
  readonly details?: string
  readonly line?: number
  readonly suggestions?: ReadonlyArray<string>
}

export type Params = Readonly<Record<string, unknown>>

/**
 * - `request`: sends one request and succeeds with its `result`. An interruption cancels it. `timeoutMs`: the limit that the
 *   params give Blender, where it is not the usual one
 */
export interface Bridge {
  readonly request: (
    method: string,
    params: Params,
    options: { readonly timeoutMs?: number },
  ) => Effect.Effect<unknown, BridgeFailure>
}
