/**
 * Failures of the fake of Blender's bridge.
 */
export interface BlenderFailure {
  readonly error: { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> }
}

/** @param more members of `data` beside the code */
export const failure = (
  code: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): BlenderFailure => ({ error: { code: -32001, message, data: { code, path: [], suggestions: [], ...more } } })

/** Another failure of JSON-RPC. */
export const plainFailure = (code: number, message: string): BlenderFailure => ({ error: { code, message } })
