/**
 * The settings of a server of editors, beside its profile.
 */
import type { ClientRule } from "@zain/tool-server/ClientRules"
import type * as Duration from "effect/Duration"
import type { EditorTool } from "../../domain/Catalogue.ts"
import type { Connect } from "../link/Carrier.ts"
import type { LinkOptions } from "../link/EditorLink.ts"
import type { Target } from "../link/Target.ts"
import type * as DebugLog from "../record/DebugLog.ts"

/**
 * The tools that a client is given of all that there are.
 *
 * @param most how many it takes, if that is known
 */
export type Select = (tools: ReadonlyArray<EditorTool>, most: number | undefined) => ReadonlyArray<EditorTool>

/**
 * - `version`: of this server
 * - `editors`: where they listen; several have names
 * - `connect`: opens connections to one of them
 * - `timeout`: how long a call may take; as the profile says where it is absent
 * - `longTimeout`: how long tools may take that wait for the editor's work
 * - `grace`: how long calls wait for an editor that was there
 * - `syncWait`: how long `initialize` waits for the editor, where a client does not ask for tools again
 * - `reconnects`: whether an editor is looked for without a call
 * - `maxFrame`: the largest message, in bytes
 * - `project`: the only project that is served, if one was named
 * - `projectRoot`: the directory of the project, in place of what the editor reports
 * - `isDevelopment`: whether the editor's development tools are wanted
 * - `clientName`: the name for a client that has none
 * - `clientRules`: before the table of clients
 * - `cacheDirectory`: where lists of tools are kept; nowhere if absent
 * - `select`: see `Select`
 * - `trace`: see `EditorLink.LinkOptions`
 * - `log`: receives what happens, without arguments and results
 * - `clientLogLevel`: the lowest level of it that clients receive, where the profile offers a log, and the client set none
 * - `mask`: takes secrets out of a text
 */
export interface EditorSettings extends Pick<LinkOptions, "trace"> {
  readonly version: string
  readonly editors: ReadonlyArray<Target>
  readonly connect: (target: Target) => Connect
  readonly timeout: Duration.Duration | undefined
  readonly longTimeout: Duration.Duration
  readonly grace: Duration.Duration
  readonly syncWait: Duration.Duration
  readonly reconnects: boolean
  readonly maxFrame: number
  readonly project: string | undefined
  readonly projectRoot: string | undefined
  readonly isDevelopment: boolean
  readonly clientName: string
  readonly clientRules: ReadonlyArray<ClientRule>
  readonly cacheDirectory: string | undefined
  readonly select: Select
  readonly log: DebugLog.Write
  readonly clientLogLevel: DebugLog.Line["level"]
  readonly mask: (text: string) => string
}
