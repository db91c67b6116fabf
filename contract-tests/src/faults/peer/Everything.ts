/** Every fault that the peer has, by transport. */
import type { Behaviours } from "./Behaviour.ts"
import { httpFaults } from "./HttpFaults.ts"
import { messageFaults } from "./MessageFaults.ts"
import { serverStreamFaults } from "./ServerStreamFaults.ts"
import { statusFaults } from "./StatusFaults.ts"
import { stdioFaults } from "./StdioFaults.ts"
import { streamFaults } from "./StreamFaults.ts"

export const stdioBehaviours: Behaviours = { ...messageFaults, ...stdioFaults }

export const httpBehaviours: Behaviours = {
  ...messageFaults,
  ...statusFaults,
  ...httpFaults,
  ...streamFaults,
  ...serverStreamFaults,
}
