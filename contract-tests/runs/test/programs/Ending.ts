import { writeSync } from "node:fs"

/**
 * Reports at the end of this program whether it ended immediately, which a remaining timer or socket would prevent. It counts
 * turns of a timer, so that a busy machine does not matter.
 */
export const ending = (): void => {
  let turns = 0
  setInterval(() => turns++, 50).unref()
  process.once("exit", () => {
    const left = process.getActiveResourcesInfo().join(", ")
    writeSync(1, turns < 20 ? "It ends at once.\n" : `It took ${turns} turns of a timer to end. There is: ${left}\n`)
  })
}
