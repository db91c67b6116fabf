import { run } from "@zain/contract-tests/VitestRunner"
import { config, make, peer, silent, unreachable } from "../third-party/Parrot.ts"

const cannot = { approvals: "A parrot asks | nobody.", usage: "Nobody counts its tokens." }
run({ name: "quiet parrot", provider: "parrot", make, peer, config, unreachable, silent, cannot })
