/**
 * Counts the evaluations of a client. Calls do not name their document, so every evaluation until a pass counts as one of
 * the same document.
 */

/**
 * One evaluation.
 *
 * - `number`: from 1
 * - `end`: reports its outcome. After `passed`, counting starts again; `nothing`, an evaluation without a score, is not
 *   counted
 */
export interface Iteration {
  readonly number: number
  readonly end: (became: "passed" | "below" | "nothing") => void
}

/** `begin`: starts the next evaluation, whose number is one more than all finished ones and all under way. */
export interface Iterations {
  readonly begin: () => Iteration
}

/** The evaluations until a pass: how many have a score, and the numbers of those under way. */
interface Series {
  finished: number
  readonly underWay: Set<number>
}

const fresh = (): Series => ({ finished: 0, underWay: new Set() })

/** The next number: after all finished ones and all under way, and not in use. */
const next = ({ finished, underWay }: Series): number => {
  let number = finished + underWay.size + 1
  while (underWay.has(number)) number++
  return number
}

/**
 * Counts the evaluations of one client.
 *
 * @param max counting starts again at 1 after this number
 */
export const make = (max: number): Iterations => {
  let current = fresh()
  return {
    begin: () => {
      if (next(current) > max) current = fresh()
      const series = current
      const number = next(series)
      series.underWay.add(number)
      return {
        number,
        end: (became) => {
          series.underWay.delete(number)
          if (became !== "nothing") series.finished++
          if (became === "passed" && series === current) current = fresh()
        },
      }
    },
  }
}
