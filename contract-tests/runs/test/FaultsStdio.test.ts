import { run } from "@zain/contract-tests/FaultRunner"
import { codex } from "./faults/Subjects.ts"

run(codex, "stdio")
