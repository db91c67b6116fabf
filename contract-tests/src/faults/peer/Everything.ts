/** Every fault that the peer has, by transport. */
import { approvalFaults } from "./ApprovalFaults.ts"
import type { Behaviours } from "./Behaviour.ts"
import { eventFaults } from "./EventFaults.ts"
import { httpFaults } from "./HttpFaults.ts"
import { messageFaults } from "./MessageFaults.ts"
import { ownStreamFaults } from "./OwnStreamFaults.ts"
import { serverStreamFaults } from "./ServerStreamFaults.ts"
import { statusFaults } from "./StatusFaults.ts"
import { stdioFaults } from "./StdioFaults.ts"
import { streamFaults } from "./StreamFaults.ts"

const saidAnywhere: Behaviours = { ...messageFaults, ...approvalFaults, ...eventFaults }

export const stdioBehaviours: Behaviours = { ...saidAnywhere, ...stdioFaults }

export const httpBehaviours: Behaviours = {
  ...saidAnywhere,
  ...statusFaults,
  ...httpFaults,
  ...streamFaults,
  ...ownStreamFaults,
  ...serverStreamFaults,
}
