import { McpClientFaultSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/FaultRunner"
import { claudeCode, claudeCodeServer, codexServer } from "./faults/Subjects.ts"

const only = McpClientFaultSuite.ofDialect

for (const subject of [codexServer, claudeCodeServer, claudeCode]) run(subject, "stdio", { only })
