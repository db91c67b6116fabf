import { run } from "../src/FaultRunner.ts"
import { McpClientFaultSuite } from "../src/index.ts"
import { claudeCodeServer, codexServer } from "./faults/Subjects.ts"

const only = McpClientFaultSuite.ofDialect

for (const subject of [codexServer, claudeCodeServer]) run(subject, "sse", { only })
