/** A client that answers well, and from which a rejection and an exception escape. */
import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import * as parrot from "../third-party/Parrot.ts"

let made = 0
const make = Effect.suspend(() => {
  made += 1
  if (made === 2) void Promise.reject(new Error("A rejection without a handler."))
  if (made === 4)
    setImmediate(() => {
      throw new Error("An exception in a timer.")
    })
  return parrot.make
})
run({ ...parrot.subject, name: "leaking parrot", make })
