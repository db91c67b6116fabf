/**
 * Which evaluation of its document it is that a client asks for. A client says nothing of that: whatever it has judged
 * until something passes is the same document to us.
 */

/**
 * - `begin`: the number of an evaluation, from 1
 * - `end`: what became of it. After one that passes, counting starts again; one without a score is not counted
 */
export interface Iterations {
  readonly begin: () => number
  readonly end: (iteration: number, became: "passed" | "below" | "nothing") => void
}

/**
 * The evaluations of one client.
 *
 * @param most after how many counting starts again, whatever became of them
 */
export const make = (most: number): Iterations => {
  let last = 0
  return {
    begin: () => {
      last = last >= most ? 1 : last + 1
      return last
    },
    end: (iteration, became) => {
      if (became === "passed") last = 0
      else if (became === "nothing" && last === iteration) last = iteration - 1
    },
  }
}
