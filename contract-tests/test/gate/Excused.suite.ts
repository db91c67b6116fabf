import { run } from "@zain/contract-tests/VitestRunner"
import { subject } from "../third-party/Parrot.ts"

const cannot = { approvals: "A parrot asks | nobody.", usage: "Nobody counts its tokens." }
run({ ...subject, name: "quiet parrot", cannot })
