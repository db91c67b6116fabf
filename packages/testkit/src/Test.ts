/**
 * Tests whose body is a generator of effects.
 */
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"

/** A generator of effects that require a Scope only. Any failure fails the test. */
type Body<Row extends ReadonlyArray<unknown>> = (
  ...row: Row
) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

const body = <Row extends ReadonlyArray<unknown>>(steps: Body<Row>, ...row: Row) =>
  Effect.gen(() => steps(...row)) as Effect.Effect<void, unknown, Scope.Scope>

const testing = (run: typeof it.effect) =>
  Object.assign((title: string, steps: Body<[]>) => run(title, () => body(steps)), {
    each:
      <A>(rows: ReadonlyArray<A>) =>
      (title: string, steps: Body<[A]>) =>
        run.each(rows)(title, (row) => body(steps, row)),
  })

/** `test` uses `TestClock`, `test.live` the real clock. `each` makes a test for every row of a table. */
export const test = Object.assign(testing(it.effect), { live: testing(it.live as typeof it.effect) })
