/**
 * How much of a matrix is run. `pnpm test` proves everything once; `pnpm test:rest` runs the rows that it leaves out, which take
 * minutes of CPU: a real agent is started for each.
 */

/** Set by `--mode`: see `vitest.config.ts`. */
const mode = process.env["ZAIN_TESTS"] ?? ""

/** Whether this run tries what `pnpm test` leaves out. */
export const isRest: boolean = mode === "rest"
/** Whether this run tries all rows of an attack. */
export const isWhole: boolean = isRest || mode === "attack"

/** The rows that are due: in `pnpm test` those that `isBrief` accepts, in `pnpm test:rest` the others, in `pnpm attack` all. */
export const due = <A>(rows: ReadonlyArray<A>, isBrief: (row: A) => boolean): ReadonlyArray<A> =>
  mode === "attack" ? rows : rows.filter((row) => isBrief(row) !== isRest)
