/**
 * An agent that may judge and write, as far as this command has to know it.
 */
import type { AnswerOnly, AnswerOnlyOptions } from "@zain/sdk-client/AnswerOnly"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * - `name`: what options call it; `title`: what people do
 * - `program`: its program, as it is called on PATH; `install`: how people get it
 * - `answerOnly`: loads what it takes to ask it for answers alone, and makes a client
 */
export interface Agent {
  readonly name: string
  readonly title: string
  readonly program: string
  readonly install: string
  readonly answerOnly: (options: AnswerOnlyOptions) => Effect.Effect<AnswerOnly, never, Scope.Scope>
}

/** All that there are. The first judges and the second writes unless the arguments name others. */
export type Agents = readonly [Agent, Agent, ...ReadonlyArray<Agent>]
