/**
 * The editors of one MCP client, and the tools of them that it is shown.
 */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { isRecord } from "@zain/process/JsonRpc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ClientCompatibilityService } from "../../application/ClientCompatibilityService.ts"
import { ContentService } from "../../application/ContentService.ts"
import { EventService } from "../../application/EventService.ts"
import { ToolQueryService } from "../../application/ToolQueryService.ts"
import type { EditorTool } from "../../domain/Catalogue.ts"
import { ValidationError } from "../../domain/DomainError.ts"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import { label, type Target } from "../link/Target.ts"
import type { EditorServices } from "../services/EditorSession.ts"
import * as ListedTools from "./ListedTools.ts"
import type { OfferingEditor } from "./OfferedFeatures.ts"
import * as ToolChanges from "./ToolChanges.ts"

/** The services of each editor, by its name; a single one has the empty name. */
export type Editors = ReadonlyMap<string, Context.Context<EditorServices>>

/** The services of one client, for one editor. */
export type ClientServices = EditorServices | ClientCompatibilityService

/** @param targets where the editors are */
export const make = ({ catalogue, features }: EditorProfile, targets: ReadonlyArray<Target>) => {
  let editors: ReadonlyMap<string, Context.Context<ClientServices>> = new Map()
  let offering: ReadonlyMap<string, OfferingEditor> = new Map()

  const visible = (services: Context.Context<ClientServices>) =>
    Context.get(services, ClientCompatibilityService).visible(
      Effect.runSync(Context.get(services, ToolQueryService).getAllTools),
    )
  const shown = () => new Map([...editors].map(([name, services]) => [name, visible(services)]))
  const list = (): ReadonlyArray<Tool> => ListedTools.make(shown())
  const signals = Stream.suspend(() =>
    Stream.mergeAll(
      [...editors.values()].map((services) => Context.get(services, EventService).toolsChanged),
      { concurrency: "unbounded" },
    ),
  )
  /** Of a fixed list, names can change alone. */
  const names = () => [...shown()].map(([editor, tools]) => [editor, tools.map(({ name }) => name)])
  const { changes, seen } = ToolChanges.make(catalogue._tag === "Static" ? names : list, signals)
  const isFixed = catalogue._tag === "Static" && catalogue.unknownCommand === undefined
  return {
    all: () => editors,
    offering: () => offering,
    /** They are those of the client from now on. */
    set: (opened: Editors, compatibility: ClientCompatibilityService["Service"]) => {
      editors = new Map(
        [...opened].map(([editor, services]) => [
          editor,
          Context.add(services, ClientCompatibilityService, compatibility),
        ]),
      )
      if (features === undefined) return
      offering = new Map(
        [...opened].map(([editor, services]) => {
          const content = Context.get(services, ContentService)
          return [editor, { features: features(content), changes: content.contentChanged }]
        }),
      )
    },
    /** Whether the client is shown such a tool; any, without `is`. */
    hasTool: (is: (tool: EditorTool) => boolean = () => true) => [...shown().values()].some((tools) => tools.some(is)),
    tools: isFixed ? { list } : { list, changes },
    seen,
    /** The editor that arguments name, and the others; undefined where they name none. */
    choose: (args: unknown) => {
      const [only] = editors
      if (only !== undefined && only[0] === "") return { editor: only, args }
      const { [ListedTools.editorArgument]: name, ...rest } = isRecord(args) ? args : {}
      const services = typeof name === "string" ? editors.get(name) : undefined
      return services === undefined ? undefined : { editor: [String(name), services] as const, args: rest }
    },
    noEditor: () =>
      new ValidationError({
        message: `\`${ListedTools.editorArgument}\` is missing or unknown: expected one of ${[...editors.keys()].join(", ")}.`,
        delivery: "not-sent",
        reason: "arguments",
      }),
    /** The editor's name, or where it listens. */
    labelOf: (editor: string) => {
      const target = targets.find(({ name = "" }) => name === editor)
      return target === undefined ? editor : label(target)
    },
  }
}
