import { run } from "../src/FaultRunner.ts"
import { codex } from "./faults/Subjects.ts"

run(codex, "stdio")
