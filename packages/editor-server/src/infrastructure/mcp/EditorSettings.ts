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
 * - `trace`: see `EditorLink.LinkOptions`
 */
export interface EditorSettings extends Pick<LinkOptions, "trace"> {
  /** Of this server. */
  readonly version: string
  /** Where they listen; several have names. */
  readonly editors: ReadonlyArray<Target>
  /** Opens connections to one of them. */
  readonly connect: (target: Target) => Connect
  /** How long a call may take; as the profile says where it is absent. */
  readonly timeout: Duration.Duration | undefined
  /** How long tools may take that wait for the editor's work. */
  readonly longTimeout: Duration.Duration
  /** How long calls wait for an editor that was there. */
  readonly grace: Duration.Duration
  /** How long `initialize` waits for the editor, where a client does not ask for tools again. */
  readonly syncWait: Duration.Duration
  /** Whether an editor is looked for without a call. */
  readonly reconnects: boolean
  /** The largest message, in bytes. */
  readonly maxFrame: number
  /** The only project that is served, if one was named. */
  readonly project: string | undefined
  /** The directory of the project, in place of what the editor reports. */
  readonly projectRoot: string | undefined
  /** Whether the editor's development tools are wanted. */
  readonly isDevelopment: boolean
  /** The name for a client that has none. */
  readonly clientName: string
  /** Before the table of clients. */
  readonly clientRules: ReadonlyArray<ClientRule>
  /** Where lists of tools are kept; nowhere if absent. */
  readonly cacheDirectory: string | undefined
  /** See `Select`. */
  readonly select: Select
  /** Receives what happens, without arguments and results. */
  readonly log: DebugLog.Write
  /** The lowest level of it that clients receive, where the profile offers a log, and the client set none. */
  readonly clientLogLevel: DebugLog.Line["level"]
  /** Takes secrets out of a text. */
  readonly mask: (text: string) => string
}
