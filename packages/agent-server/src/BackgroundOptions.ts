/**
 * The options of a thread that say what becomes of its background work.
 */
import * as Duration from "effect/Duration"

/** How much of them a turn needs; see `AgentOption.background` of sdk-client. */
export interface BackgroundOptions {
  readonly background?: "wait" | "off" | "keep"
  readonly backgroundGrace?: string | number
}

const usual = Duration.seconds(60)

/** How long a command may run after the agent's last message, unless it is kept. */
export const graceOf = ({ background, backgroundGrace }: BackgroundOptions): Duration.Duration => {
  if (background === "off") return Duration.zero
  return backgroundGrace === undefined ? usual : Duration.fromInputUnsafe(backgroundGrace as Duration.Input)
}
