/** A client that fails once: a retry would pass. */
import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import * as parrot from "../third-party/Parrot.ts"

let made = 0
const make = Effect.suspend(() => (++made === 1 ? Effect.die(new Error("Not today.")) : parrot.make))
run({ ...parrot.subject, name: "flaky parrot", make })
