/** The case that demands all others. */
import * as Effect from "effect/Effect"
import { Bench, type ContractCase } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"

/** @param others every other case; all must have run before */
export const wholeSuite = (others: ReadonlyArray<ContractCase>): ContractCase => ({
  id: "suite.whole",
  title: "the whole suite MUST hold for this provider",
  verifies: ["6.1", "6.2"],
  run: Effect.gen(function* () {
    const { earlier, subject } = yield* Bench
    const held = new Set(earlier.filter(({ status }) => status !== "failed").map(({ id }) => id))
    const missing = others.map(({ id }) => id).filter((id) => !held.has(id))
    yield* Expect.that(
      missing.length === 0,
      `These cases failed or did not run for ${subject.provider}: ${missing.join(", ")}.`,
    )
  }),
})
