import { McpClientFaultSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/FaultRunner"
import { servers } from "./faults/Subjects.ts"

for (const subject of servers) run(subject, "sse", { only: McpClientFaultSuite.ofDialect })
