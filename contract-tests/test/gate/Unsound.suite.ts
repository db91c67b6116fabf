/** A subject without `peer`, and without a reason for it. */
import { run } from "@zain/contract-tests/VitestRunner"
import { config, make, unreachable } from "../third-party/Parrot.ts"

run({ name: "blind parrot", provider: "parrot", make, config, unreachable })
