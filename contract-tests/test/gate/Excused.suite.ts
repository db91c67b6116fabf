import { run } from "@zain/contract-tests/VitestRunner"
import { subject } from "../third-party/Parrot.ts"

const cannot = { approvals: "A parrot has | no approvals.", usage: "A parrot has no tokens." }
run({ ...subject, name: "quiet parrot", cannot })
