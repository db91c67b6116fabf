import { run } from "@zain/contract-tests/VitestRunner"
import { config, elsewhere, make, peer, resume, silent, turn, unreachable } from "./Parrot.ts"

const places = { config, unreachable, silent, resume, elsewhere }
run({ name: "parrot", provider: "parrot", make, peer, turn, ...places })
