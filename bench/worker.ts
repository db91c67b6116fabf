/**
 * One contestant of one row, in this process. Runs a block per request.
 */
import type { Reply, Request } from "./Contest.ts"
import * as Measure from "./Measure.ts"
import * as Profile from "./Profile.ts"
import { rows } from "./rows.ts"

const [rowName, contestantName, scale] = process.argv.slice(2)
const row = rows.find(({ name }) => name === rowName)
const contestant = row?.contestants.find(({ name }) => name === contestantName)
if (row === undefined || contestant === undefined) throw new Error(`There is no ${rowName} of ${contestantName}.`)

const say = (reply: Reply) => process.send?.(reply)
const answer = async (work: () => Promise<unknown>) => {
  try {
    say({ value: await work() })
  } catch (error) {
    say({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

let ended = false
process.once("disconnect", () => {
  // The parent has exited, so no request will end the client. A worker that was ended exits by itself.
  if (!ended) process.exit(1)
})
const run = await contestant.start(Number(scale))
process.on("message", (request: Request) =>
  answer(async () => {
    if (request === "block") return Measure.block(run, row.metric)
    if (request === "profile") return Profile.take(run, row.metric)
    await run.end()
    ended = true
    return undefined
  }),
)
say({ value: undefined })
