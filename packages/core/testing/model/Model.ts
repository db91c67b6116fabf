/** Tests a kind of agent behind the session runtime against the laws of the model. */
import { assert } from "@effect/vitest"
import fc from "fast-check"
import * as Commands from "./Commands.ts"
import * as Laws from "./Laws.ts"
import * as Play from "./Play.ts"

/**
 * - `agent`: makes an agent for each run
 * - `able`: the deeds and opens of its agents
 * - `runs`: the number of runs; ZAIN_MODEL_RUNS multiplies it
 */
export interface Subject {
  readonly agent: (surroundings: Play.Surroundings) => Play.Agent
  readonly able: Parameters<typeof Commands.arbitrary>[0]
  readonly traits: Omit<Laws.Traits, keyof typeof Play.limits>
  readonly runs: number
}

/** A fixed seed makes every run the same; failures print it. */
const seed = Number(process.env["ZAIN_MODEL_SEED"] ?? 20_261_121)
const factor = Number(process.env["ZAIN_MODEL_RUNS"] ?? 1)

/** Plays random runs to their end, and checks their ledgers. */
export const check = ({ able, agent, runs, traits }: Subject) =>
  fc.assert(
    fc.asyncProperty(Commands.arbitrary(able), async (commands) => {
      const play = await Play.make(agent)
      await fc.asyncModelRun(() => ({ model: Commands.model(), real: play }), commands)
      await play.settle()
      await play.dispose()
      const found = Laws.violations(play.ledger.entries, { ...Play.limits, ...traits })
      assert.deepStrictEqual(found, [], "broken laws")
      assert.strictEqual(play.stepper.sleepers(), 0, "a fiber sleeps after the end")
    }),
    { seed, numRuns: runs * factor, endOnFailure: false },
  )
