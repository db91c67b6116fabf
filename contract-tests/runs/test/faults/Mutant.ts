/** A client that is broken in one way: an adapter with something wrong around it. */
import type { McpApproval } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpTransport } from "@zain/core/McpTransport"

/**
 * - `name`: a clause about the client
 * - `caughtBy`: the fault that must tell
 * - `says`: what the report must say of it
 * - `adapter`: what is wrong. `policy`: what it is made with
 */
export interface Mutant {
  readonly name: string
  readonly transport: McpTransport
  readonly caughtBy: string
  readonly says: RegExp
  readonly adapter?: (adapter: McpClientAdapter) => McpClientAdapter
  readonly policy?: McpApproval.McpApprovalPolicy
}

/** Over which transport, and by which fault, a mutant is caught. */
export type Where = readonly [transport: McpTransport, caughtBy: string]

/** One mutant. */
export const mutant = (
  name: string,
  [transport, caughtBy]: Where,
  says: RegExp,
  flaw: Pick<Mutant, "adapter" | "policy">,
): Mutant => ({ name, transport, caughtBy, says, ...flaw })
