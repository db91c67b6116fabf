/**
 * The lines of the log on a client's `initialize` and on the connection to an editor.
 *
 * @see Settings
 */
import type { LinkEvent, LinkState } from "../link/LinkState.ts"
import type { Line } from "./DebugLog.ts"

/** A line that does not name its client and editor yet. */
export type EventLine = Pick<Line, "level" | "event" | "detail">

/** The longest detail, in characters: clients and editors write parts of it. */
const maxDetailLength = 500

/** A client has sent `initialize`. */
export const initialize = ({
  name,
  version = "",
}: {
  readonly name: string
  readonly version?: string
}): EventLine => ({
  level: "info",
  event: "initialize",
  detail: `${name} ${version}`.trim().slice(0, maxDetailLength),
})

/**
 * Returns the line of an event. Attempts that fail like the one before have none.
 *
 * @param before the state in which the event happened
 */
export const lineOf = (event: LinkEvent, before: LinkState): EventLine | undefined => {
  const earlier = "failure" in before ? before.failure?.message : undefined
  switch (event._tag) {
    case "Opening":
      return earlier === undefined ? { level: "debug", event: "connecting" } : undefined
    case "Opened":
      return { level: "info", event: before._tag === "Away" ? "reconnected" : "connected" }
    case "Failed": {
      const { message, reason } = event.failure
      if (message === earlier) return undefined
      const detail = message.slice(0, maxDetailLength)
      return reason === "refused" || reason === "connect-timeout"
        ? { level: "warn", event: "connection failed", detail }
        : { level: "error", event: "handshake failed", detail }
    }
    case "Lost":
      return { level: "warn", event: "lost", detail: event.loss }
    case "Close":
      return undefined
  }
}
