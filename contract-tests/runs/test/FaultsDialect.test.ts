import { McpClientFaultSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/FaultRunner"
import { claudeCode, servers } from "./faults/Subjects.ts"

// What a transport makes of the messages is tried with Codex's own server over each. The clients of the agent servers read them by one
// code.
for (const subject of [...servers.slice(-1), claudeCode]) run(subject, "stdio", { only: McpClientFaultSuite.ofDialect })
