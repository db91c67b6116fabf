/** A broken client, in tests with the option `fails`. */
import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import * as parrot from "../third-party/Parrot.ts"

const make = Effect.die(new Error("There is no parrot."))
describe("upside down", { fails: true }, () => {
  run({ ...parrot.subject, name: "dead parrot", make })
})
