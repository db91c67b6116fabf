/**
 * Events of an agent while it works.
 */
import { setImmediate as turn } from "node:timers/promises"
import { calls } from "../clients/Client.ts"
import type { Row } from "../Row.ts"
import { type Job, part, stdio, three } from "./Contestants.ts"

/** Turns of the event loop without an event after which the missing events count as lost. */
const patience = 5

/** Calls that send so many events each. Events that were sent and not received are lost. */
const events =
  (count: number, callCount: number): Job =>
  async (client, scale) => {
    let heard = 0
    const session = await client.open(() => {
      heard++
    })
    const rounds = part(callCount, scale)
    const sent = rounds * count
    return {
      block: async () => {
        heard = 0
        await calls(session, rounds, `events:${count}`)
        for (let silent = 0, before = heard; heard < sent && silent < patience; before = heard) {
          await turn()
          silent = heard === before ? silent + 1 : 0
        }
        return { units: sent, lost: sent - heard }
      },
      end: async () => void (await session.close()),
    }
  }

const how =
  "Ours are read through `client.events`, the SDK's through `onprogress`. Time is for each event that was sent, " +
  "received or not."

const row = (name: string, title: string, count: number, rounds: number, max: number): Row => ({
  name,
  title,
  unit: "event",
  metric: "cpu",
  aim: { of: "ratio", max },
  times: { rounds: 2, blocks: 7, warmUp: 3 },
  contestants: three(stdio, events(count, rounds)),
  note: how,
  limit:
    "Four tenths are `JSON.parse`, which the floor has too. The floor has two speeds, by what the engine has compiled: a block " +
    "costs it once or three times as much, so the ratio is 0.9 or 2.8; ours has one. Readers that wake in a microtask make " +
    "it 0.08 less, but then the scheduler of the model test no longer decides when they do.",
})

export const many: Row = { ...row("events-10000", "10,000 events in one call", 10_000, 2, 1.6), short: 2.75 }

export const few: Row = row("events-10", "10 events per call", 10, 500, 1.8)
