import { McpClientFaultSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/FaultRunner"
import { claudeCodeServer, codexServer } from "./faults/Subjects.ts"

const only = McpClientFaultSuite.ofDialect

for (const subject of [codexServer, claudeCodeServer]) run(subject, "sse", { only })
