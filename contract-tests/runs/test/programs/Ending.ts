import { writeSync } from "node:fs"

/**
 * Says at the end of this program whether it came at once, which a timer or a socket that is left behind would prevent. It
 * counts turns of a timer, so that a machine that is busy with something else makes nothing of it late.
 */
export const ending = (): void => {
  let turns = 0
  setInterval(() => turns++, 50).unref()
  process.once("exit", () => {
    const left = process.getActiveResourcesInfo().join(", ")
    writeSync(1, turns < 20 ? "It ends at once.\n" : `It took ${turns} turns of a timer to end. There is: ${left}\n`)
  })
}
