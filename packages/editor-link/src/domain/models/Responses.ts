/**
 * Responses of the use cases.
 *
 * @see seed, `responses.ts`
 */
import type { EditorTool } from "../Catalogue.ts"
import type { OperationResult } from "../OperationResult.ts"

/** `isConnected`: whether the editor answers; `tools`: what the client is given at once. */
export interface InitializeServerResponse {
  readonly isConnected: boolean
  readonly tools: ReadonlyArray<EditorTool>
}

export interface ExecuteToolResponse {
  readonly result: OperationResult
}

export interface RefreshToolsResponse {
  readonly tools: ReadonlyArray<EditorTool>
}
