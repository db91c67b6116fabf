/**
 * Forms of options that several commands share.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as OptionValue from "@zain/command/OptionValue"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** @param takes the name of its value in the help */
export const text = (name: string, takes: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withMetavar(takes), Flag.withDescription(description))

/** A repeatable option. */
export const texts = (name: string, takes: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.atLeast(text(name, takes, description), 0)

export const isGiven = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false), Flag.withDescription(description))

/** The name of an agent. */
export const provider = (agents: ReadonlyArray<Agent>, description: string): Flag.Flag<Option.Option<string>> => {
  const names = agents.map(({ name }) => name)
  return Flag.Literals("provider", names).pipe(Flag.withDescription(description), Flag.optional)
}

/** A limit, in the format of the servers' options: `4s`, `10m`, `1h 30m` or `"10 seconds"`. */
export const timeout = (description: string): Flag.Flag<Duration.Duration> =>
  text("timeout", "TIME", description).pipe(
    Flag.filterMap(
      (given) => Option.filter(Result.getSuccess(OptionValue.duration("--timeout", given)), Duration.isFinite),
      () => OptionValue.durationInWords,
    ),
  )
