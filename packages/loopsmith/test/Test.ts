/**
 * Tests whose body is a generator of effects.
 */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Yields effects that need nothing but a Scope, whatever they fail with. */
type Body = () => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

const body = (steps: Body) => () => Effect.gen(steps) as Effect.Effect<void, unknown, Scope.Scope>

/** `test` has the clock of `TestClock`, and `test.live` the real one. */
export const test = Object.assign((title: string, steps: Body) => it.effect(title, body(steps)), {
  live: (title: string, steps: Body) => it.live(title, body(steps)),
})
