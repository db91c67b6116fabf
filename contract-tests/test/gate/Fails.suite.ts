/** A dead client, where somebody turned round how tests end. */
import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import * as parrot from "../third-party/Parrot.ts"

const make = Effect.die(new Error("There is no parrot."))
const { config, peer, silent, unreachable } = parrot
describe("upside down", { fails: true }, () => {
  run({ name: "dead parrot", provider: "parrot", make, peer, config, unreachable, silent })
})
