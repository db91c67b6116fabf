import { McpClientFaultSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/FaultRunner"
import { claudeCode, servers } from "./faults/Subjects.ts"

for (const subject of [...servers, claudeCode]) run(subject, "stdio", { only: McpClientFaultSuite.ofDialect })
