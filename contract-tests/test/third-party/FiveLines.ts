import { run } from "@zain/contract-tests/VitestRunner"
import { config, make, peer, silent, unreachable } from "./Parrot.ts"

const places = { config, unreachable, silent }
run({ name: "parrot", provider: "parrot", make, peer, ...places })
