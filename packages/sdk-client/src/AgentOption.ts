/**
 * Schemas of an agent's options. Every option is optional; its description appears in the schema of the agent server's tool.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * Makes the schema of an option that is a text of at least one character, and may be omitted.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const text = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description }).check(Schema.isNonEmpty()))

/**
 * Makes an optional string that may be empty, such as instructions.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const instructions = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/**
 * Makes an optional list of strings of at least one character each.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const texts = (description: string) =>
  Schema.optionalKey(Schema.Array(Schema.NonEmptyString).annotate({ description }))

/**
 * Makes the schema of an option with a fixed set of values, which may be omitted.
 *
 * @param words the accepted values; the schema of the server's tool lists them
 * @param description what the option does, as the server's tool describes it
 */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words, description: string) =>
  Schema.optionalKey(Schema.Literals(words).annotate({ description }))

/**
 * Makes the schema of an option that is true or false, and may be omitted.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/**
 * Makes the schema of an option that is a whole number above zero, and may be omitted.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const count = (description: string) =>
  Schema.optionalKey(Schema.Int.annotate({ description }).check(Schema.isGreaterThan(0)))

/**
 * Makes an optional JSON object of settings, which is passed to the agent unchecked.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const settings = (description: string) =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.Json).annotate({ description }))

/** A duration above zero, as text or in milliseconds. */
const isDuration = Schema.makeFilter<string | number>((value) => {
  const input = Duration.fromInput(value as Duration.Input)
  return Option.isSome(input) && Duration.isFinite(input.value) && Duration.toMillis(input.value) > 0
    ? undefined
    : 'must be a duration above zero, such as "30 seconds", or milliseconds'
})

/**
 * Makes an optional duration above zero: text such as `"30 seconds"`, or a number of milliseconds.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const duration = (description: string) =>
  Schema.optionalKey(
    Schema.Union([Schema.String.annotate({ description }), Schema.Number.annotate({ description })]).check(isDuration),
  )

/**
 * The options about background work, the same for every agent: what becomes of sub-agents and of commands that still run
 * when the agent has said its last message.
 *
 * @see docs/concepts/threads-and-turns.md
 */
export const background = {
  /**
   * `wait`, the default: `execute` returns when the turn's sub-agents and commands have ended. `off`: the agent starts
   * without sub-agents in the background; commands that Codex leaves end with its last message. `keep`: it goes on, listed in
   * `pending` of the response, until it ends or the session closes. Stays with the thread.
   */
  background: oneOf(
    ["wait", "off", "keep"],
    "What becomes of sub-agents and commands in the background: wait for them, offer none, or let them go on.",
  ),
  /**
   * With `background: "wait"`, how long a command may still run after the agent's last message, such as `"2 minutes"`, or
   * milliseconds; then it is ended with its processes, and listed in `ended` of the response. Default: 60 seconds.
   */
  backgroundGrace: duration(
    'How long a command may run after the agent\'s last message, such as "2 minutes", or milliseconds; then it is ended.',
  ),
} as const

/** Names of the arguments of the agent servers' tools for `background`. */
export const backgroundNames = {
  /** Argument `background-grace` of the agent server's tools, for the option `backgroundGrace`. */
  backgroundGrace: "background-grace",
} as const
