/** A subject that leaves out what can be seen, and does not say why. */
import { run } from "@zain/contract-tests/VitestRunner"
import { config, make, unreachable } from "../third-party/Parrot.ts"

run({ name: "blind parrot", provider: "parrot", make, config, unreachable })
