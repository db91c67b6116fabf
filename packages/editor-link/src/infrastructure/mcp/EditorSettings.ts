/**
 * The settings of a server of editors, beside its profile.
 */
import type { ClientRule } from "@zain/tool-server/ClientRules"
import type * as Duration from "effect/Duration"
import type { EditorTool } from "../../domain/Catalogue.ts"
import type { Style } from "../../domain/ToolNames.ts"
import type { Connect } from "../link/Carrier.ts"
import type { LinkOptions } from "../link/EditorLink.ts"
import type { Target } from "../link/Target.ts"
import type * as DebugLog from "../record/DebugLog.ts"

/**
 * Selects the tools that a client receives.
 *
 * @param max the client's limit, if known
 */
export type Select = (tools: ReadonlyArray<EditorTool>, max: number | undefined) => ReadonlyArray<EditorTool>

/** See also `EditorLink.LinkOptions`. */
export interface EditorSettings extends Pick<LinkOptions, "trace" | "grace" | "project" | "reconnects" | "maxFrame"> {
  /** The version of this server. */
  readonly version: string
  /** The editors; several have names. */
  readonly editors: ReadonlyArray<Target>
  /** Opens connections to one of them. */
  readonly connect: (target: Target) => Connect
  /** The limit of a call. Default: the profile's. */
  readonly timeout: Duration.Duration | undefined
  /** How long tools may take that wait for the editor's work. */
  readonly longTimeout: Duration.Duration
  /** How long `initialize` waits while the editor is connected to. */
  readonly connectWait: Duration.Duration
  /** The same if a client requests tools only once. */
  readonly syncWait: Duration.Duration
  /** The directory of the project, in place of what the editor reports. */
  readonly projectRoot: string | undefined
  /** Whether the editor's development tools are listed. */
  readonly isDevelopment: boolean
  /** The name for a client that has none. */
  readonly clientName: string
  /** Rules that override the table of clients. */
  readonly clientRules: ReadonlyArray<ClientRule>
  /** The directory of cached tools; no cache if absent. */
  readonly cacheDirectory: string | undefined
  /** Selects the tools of a client. */
  readonly select: Select
  /** By which names tools are listed. */
  readonly toolNames: Style
  /** Receives log lines, without arguments and results. */
  readonly log: DebugLog.Write
  /** The lowest level of log messages to clients that set none, if the profile has a log. */
  readonly clientLogLevel: DebugLog.Line["level"]
  /** Masks secrets in a text. */
  readonly mask: (text: string) => string
}
