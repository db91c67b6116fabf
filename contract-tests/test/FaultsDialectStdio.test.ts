import { run } from "../src/FaultRunner.ts"
import { McpClientFaultSuite } from "../src/index.ts"
import { claudeCode, claudeCodeServer, codexServer } from "./faults/Subjects.ts"

const only = McpClientFaultSuite.ofDialect

for (const subject of [codexServer, claudeCodeServer, claudeCode]) run(subject, "stdio", { only })
