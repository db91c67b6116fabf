/**
 * A promise of a service to the use cases, whatever the service is made of.
 */
import { Effect, type Scope } from "effect"
import { ConnectionService } from "../../src/application/ConnectionService.ts"
import { ToolQueryService } from "../../src/application/ToolQueryService.ts"
import type { EditorTool } from "../../src/domain/Catalogue.ts"
import type { Setting } from "../../testing/domain/Setting.ts"
import type { AllServices, Controls } from "../domain/FakeServices.ts"

/** A promise: a sentence, and a test that it is kept. The services are those of the setting, before anything happens. */
export interface Behaviour {
  readonly title: string
  readonly setting?: Partial<Setting>
  readonly holds: (editor: Controls) => Effect.Effect<void, unknown, AllServices | Scope.Scope>
}

export const toolNames = Effect.map(
  Effect.flatMap(ToolQueryService, ({ getAllTools }) => getAllTools),
  (tools: ReadonlyArray<EditorTool>) => tools.map(({ name }) => name),
)

/** The editor is there, and connected to. */
export const connected = Effect.fnUntraced(function* (editor: Controls, hello: Parameters<Controls["come"]>[0] = {}) {
  editor.come(hello)
  const { ensureConnected } = yield* ConnectionService
  yield* ensureConnected
})
