/** Two runs with one name, which a report cannot tell apart. */
import { run } from "@zain/contract-tests/VitestRunner"
import { subject } from "../third-party/Parrot.ts"

for (let turn = 0; turn < 2; turn++) run({ ...subject, name: "two parrots" })
