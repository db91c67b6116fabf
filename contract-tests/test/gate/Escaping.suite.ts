/** A client that answers well, and lets a rejection and an exception escape beside. */
import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import * as parrot from "../third-party/Parrot.ts"

let made = 0
const make = Effect.suspend(() => {
  made += 1
  if (made === 2) void Promise.reject(new Error("Nobody waits for this."))
  if (made === 4)
    setImmediate(() => {
      throw new Error("Nobody catches this.")
    })
  return parrot.make
})
run({ ...parrot.subject, name: "leaking parrot", make })
