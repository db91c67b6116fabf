/** Random runs: any operation at any time, and in between any number of steps in any order. */
import fc from "fast-check"
import { type Deed, deeds } from "./Ledger.ts"
import { type Open, opens, type Play } from "./Play.ts"

/** The state for the preconditions of commands. */
interface Model {
  sessions: number
  operations: number
}

/** A command with its arguments, its precondition and its effect. A counterexample shows name and arguments. */
const command = <A>(
  name: string,
  argument: fc.Arbitrary<A>,
  {
    check,
    model,
    run,
  }: {
    readonly check?: (model: Readonly<Model>) => boolean
    readonly model?: (model: Model) => void
    readonly run: (play: Play, argument: A) => unknown
  },
): fc.Arbitrary<fc.AsyncCommand<Model, Play>> =>
  argument.map((value) => ({
    check: (state) => check?.(state) ?? true,
    run: async (state, play) => {
      model?.(state)
      await run(play, value)
    },
    toString: () => `${name} ${fc.stringify(value)}`,
  }))

const pick = fc.nat(50)
/** After how many operations a fiber yields. With fewer than four it makes no progress. */
const steps = fc.option(fc.integer({ min: 4, max: 60 }), { nil: undefined, freq: 3 })
const deadline = fc.option(fc.constantFrom(1_000, 20_000, 90_000), { nil: undefined, freq: 3 })
const hasSessions = ({ sessions }: Readonly<Model>) => sessions > 0
const isOperation = (model: Model) => void model.operations++
const often = <A>(value: A, count: number) => Array.from({ length: count }, () => value)

/** @param able the deeds and opens of the agents of this run, and whether they can be steered and forked */
export const arbitrary = (able: {
  readonly deeds: ReadonlyArray<Deed>
  readonly opens: ReadonlyArray<Open>
  readonly beside?: boolean
}) => {
  const deed = fc.constantFrom(...deeds.filter((name) => able.deeds.includes(name)), ...often<Deed>("say", 3))
  const openWell = fc.constantFrom(...opens.filter((name) => able.opens.includes(name)), ...often<Open>("well", 4))
  const open = command("open", fc.tuple(openWell, steps), {
    model: (state) => {
      state.sessions++
      state.operations++
    },
    run: (play, argument) => play.open(...argument),
  })
  const execute = command("execute", fc.tuple(pick, deed, deadline, steps), {
    check: hasSessions,
    model: isOperation,
    run: (play, argument) => play.execute(...argument),
  })
  const close = command("close", fc.tuple(pick, steps), {
    check: hasSessions,
    model: isOperation,
    run: (play, argument) => play.close(...argument),
  })
  const beside = command("beside", fc.tuple(pick, fc.constantFrom("steer", "steer", "fork"), steps), {
    check: hasSessions,
    model: isOperation,
    run: (play, argument) => play.beside(...argument),
  })
  const closeTwice = command("close twice at once", fc.tuple(pick, steps, steps), {
    check: hasSessions,
    model: isOperation,
    run: (play, [session, first, second]) => {
      play.close(session, first)
      play.close(session, second)
    },
  })
  const interrupt = command("interrupt", pick, {
    check: ({ operations }) => operations > 0,
    run: (play, operation) => play.interrupt(operation),
  })
  const kill = command("kill", pick, { check: hasSessions, run: (play, session) => play.kill(session) })
  const step = command("step", fc.array(fc.nat(7), { minLength: 1, maxLength: 12 }), {
    run: ({ stepper }, picks) => picks.forEach(stepper.step),
  })
  const pass = command("pass", fc.constantFrom(500, 10_000, 61_000), {
    run: ({ stepper }, millis) => stepper.pass(millis),
  })
  const settle = command("settle", fc.constant(undefined), { run: (play) => play.settle() })
  const dispose = command("dispose", fc.constant(undefined), { check: hasSessions, run: (play) => play.dispose() })
  const rarely = (it: typeof dispose) => fc.oneof({ weight: 1, arbitrary: it }, { weight: 24, arbitrary: settle })
  return fc.commands(
    [
      ...often(open, 4),
      ...often(execute, 20),
      ...often(step, 12),
      ...often(interrupt, 6),
      ...often(settle, 3),
      ...often(close, 2),
      ...often(pass, 2),
      ...often(beside, able.beside === true ? 8 : 0),
      closeTwice,
      kill,
      rarely(dispose),
    ],
    { maxCommands: 80, size: "max" },
  )
}

/** The initial state for preconditions. */
export const model = (): Model => ({ sessions: 0, operations: 0 })
