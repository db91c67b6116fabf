/**
 * An editor and a client of tests: what there is before anything happens.
 */
import { Duration, Result } from "effect"
import type { EditorTool } from "../../src/domain/Catalogue.ts"
import type { ProfileCatalogue } from "../../src/domain/EditorProfile.ts"

export interface Setting {
  readonly catalogue: ProfileCatalogue
  /** How long calls wait for an editor that was there. */
  readonly grace: Duration.Duration
  /** Its name, whether it asks for the tools again, and how many it takes. */
  readonly client: { readonly name: string; readonly asksAgain: boolean; readonly max: number }
}

/** A tool without parameters: it refuses all others. */
export const tool = (name: string, more: Partial<EditorTool> = {}): EditorTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  scopeOf: () => (name === "look" ? "read" : "write"),
  read: (args) => (Object.keys(args ?? {}).length === 0 ? Result.succeed({}) : Result.fail("/: has no parameters")),
  ...more,
})

export const listMethod = "list"

/** The editor lists its tools as an array of names. */
export const dynamic: ProfileCatalogue = {
  _tag: "Dynamic",
  method: listMethod,
  params: () => ({}),
  read: (listed) => (Array.isArray(listed) ? listed.map((name) => tool(String(name))) : []),
}

export const fixed = {
  _tag: "Static",
  tools: [tool("look"), tool("draw")],
  unknownCommand: "WHAT",
} satisfies ProfileCatalogue

export const toolsOf = (catalogue: ProfileCatalogue): ReadonlyArray<EditorTool> =>
  catalogue._tag === "Static" ? catalogue.tools : []

export const usual: Setting = {
  catalogue: dynamic,
  grace: Duration.seconds(20),
  client: { name: "Patient", asksAgain: true, max: 100 },
}
