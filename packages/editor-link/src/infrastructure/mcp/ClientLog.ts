/**
 * The log of a client's session, as MCP's log messages: the lines of its own calls, and those of the editors.
 */
import type { LogMessage } from "@zain/tool-server/Features"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type * as DebugLog from "../record/DebugLog.ts"

/** How many lines wait for a client that does not read. */
const maxWaitingLines = 256

/** `write`: adds a line; `lines`: those that are added from now on. */
export interface ClientLog {
  readonly write: DebugLog.Write
  readonly lines: Stream.Stream<DebugLog.Line>
}

/** @param write receives each line besides */
export const make = (write: DebugLog.Write): Effect.Effect<ClientLog> =>
  Effect.map(PubSub.sliding<DebugLog.Line>(maxWaitingLines), (lines) => ({
    write: (line) => {
      write(line)
      Effect.runSync(PubSub.publish(lines, line))
    },
    lines: Stream.fromPubSub(lines),
  }))

const levels = { debug: "debug", info: "info", warn: "warning", error: "error" } as const

export type Level = DebugLog.Line["level"]

/** MCP's name of a level. */
export const levelOf = (level: Level) => levels[level]

/** @param mask takes secrets out of a text */
export const messages = (logs: ReadonlyArray<ClientLog>, mask: (text: string) => string): Stream.Stream<LogMessage> =>
  Stream.mergeAll(
    logs.map(({ lines }) => lines),
    { concurrency: "unbounded" },
  ).pipe(
    Stream.map(({ level, ...line }) => ({
      level: levelOf(level),
      logger: "zain-editor-mcp",
      data: JSON.parse(mask(JSON.stringify(line))) as unknown,
    })),
  )
