import { run } from "@zain/contract-tests/FaultRunner"
import { stdioFaults } from "@zain/contract-tests/faults/StdioFaults"
import { shared } from "./faults/Subjects.ts"

// What a client makes of the messages themselves is the same over pipes.
for (const subject of shared) run(subject, "stdio", { only: stdioFaults.map(({ id }) => id) })
