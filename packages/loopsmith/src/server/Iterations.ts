/**
 * Which evaluation of its document it is that a client asks for. A client says nothing of that: whatever it has judged
 * until something passes is the same document to us.
 */

/**
 * One evaluation.
 *
 * - `number`: from 1
 * - `end`: what became of it. After one that passes, counting starts again; one without a score is not counted
 */
export interface Iteration {
  readonly number: number
  readonly end: (became: "passed" | "below" | "nothing") => void
}

/** `begin`: the next evaluation: one more than there were, and than are under way. */
export interface Iterations {
  readonly begin: () => Iteration
}

/** The evaluations until one passes: how many have a score, and the numbers of those that wait for one. */
interface Series {
  finished: number
  readonly underWay: Set<number>
}

const fresh = (): Series => ({ finished: 0, underWay: new Set() })

/** The lowest number that none of them has, as far as is known. */
const next = ({ finished, underWay }: Series): number => {
  let number = finished + underWay.size + 1
  while (underWay.has(number)) number++
  return number
}

/**
 * The evaluations of one client.
 *
 * @param most after how many counting starts again, whatever became of them
 */
export const make = (most: number): Iterations => {
  let current = fresh()
  return {
    begin: () => {
      if (next(current) > most) current = fresh()
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
