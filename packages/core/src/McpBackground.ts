/**
 * Work that outlives the message that ended an agent's turn: sub-agents, and commands in the background.
 *
 * @see docs/concepts/threads-and-turns.md
 */
import * as Schema from "effect/Schema"

/** One piece of such work, as the agent describes it. */
export class BackgroundWork extends Schema.Opaque<BackgroundWork>()(
  Schema.Struct({
    /** Identifies the work within its session; its event `BackgroundFinished` has the same. */
    workId: Schema.String,
    /** `command`: a program that the agent started. `sub-agent`: another agent that works for this one. */
    kind: Schema.Literals(["command", "sub-agent"]),
    /** One line for people that says what the work is, such as the command line. */
    title: Schema.String,
  }),
) {}
