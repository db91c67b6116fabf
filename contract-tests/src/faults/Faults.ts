/** Every fault, in the order in which they run. */
import type { Fault } from "./Fault.ts"
import { httpFaults } from "./HttpFaults.ts"
import { ownStreamFaults } from "./OwnStreamFaults.ts"
import { saidFaults } from "./SaidFaults.ts"
import { serverStreamFaults } from "./ServerStreamFaults.ts"
import { sessionFaults } from "./SessionFaults.ts"
import { statusFaults } from "./StatusFaults.ts"
import { stdioFaults } from "./StdioFaults.ts"
import { streamFaults } from "./StreamFaults.ts"

export const faults: ReadonlyArray<Fault> = [
  ...saidFaults,
  ...stdioFaults,
  ...statusFaults,
  ...httpFaults,
  ...sessionFaults,
  ...streamFaults,
  ...ownStreamFaults,
  ...serverStreamFaults,
]
