import { McpClientFaultSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/FaultRunner"
import { servers } from "./faults/Subjects.ts"

// Another agent than over stdio.
for (const subject of servers.slice(0, 1)) run(subject, "sse", { only: McpClientFaultSuite.ofDialect })
