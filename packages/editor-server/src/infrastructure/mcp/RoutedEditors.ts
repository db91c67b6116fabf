/**
 * Editors as routes beside MCP reach them: each call has an id of its own in the log.
 */
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import { ConnectionService } from "../../application/ConnectionService.ts"
import { MessageService } from "../../application/MessageService.ts"
import * as ExecuteTool from "../../application/use-cases/ExecuteTool.ts"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import type { RoutedEditor } from "../../domain/EditorRoutes.ts"
import type { Editors } from "./EditorClient.ts"
import type { EditorSettings } from "./EditorSettings.ts"

/** What stands in the log in place of a client's name. */
const client = "http"

export const make = (
  profile: EditorProfile,
  { log, timeout }: Pick<EditorSettings, "log" | "timeout">,
  editors: Editors,
): ReadonlyMap<string, RoutedEditor> =>
  new Map(
    [...editors].map(([editor, services]) => {
      const line = editor === "" ? { client } : { client, editor }
      const logged = (call: string) => (event: string, detail?: string) =>
        log({ ...line, level: "debug", call, event, ...(detail === undefined ? {} : { detail }) })
      const message = Context.get(services, MessageService)
      const routed: RoutedEditor = {
        send: (...call) =>
          ExecuteTool.sender(profile, message, { timeout, isRepeatable: false, log: logged(randomUUID()) })(...call),
        state: Context.get(services, ConnectionService).state,
        log: (event, detail) => log({ ...line, level: "info", event, detail }),
      }
      return [editor, routed]
    }),
  )
