/** Every fault in the messages of a server, the same on every transport. */
import { dialectFaults } from "./DialectFaults.ts"
import type { Fault } from "./Fault.ts"
import { messageFaults } from "./MessageFaults.ts"
import { healthy, resultFaults } from "./ResultFaults.ts"

export const saidFaults: ReadonlyArray<Fault> = [healthy, ...messageFaults, ...resultFaults, ...dialectFaults]

/** The ids of those that reach an adapter's own dialect. */
export const ofDialect: ReadonlyArray<string> = [
  healthy,
  ...messageFaults.filter(({ id }) => id.startsWith("asks-") || id === "strange-notifications"),
  ...resultFaults.filter(({ id }) => !id.startsWith("error-")),
  ...dialectFaults,
].map(({ id }) => id)
