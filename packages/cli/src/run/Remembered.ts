/**
 * What was allowed until `zain` ends. Not every agent remembers it, so that the same question comes again.
 */
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"

/**
 * - `keep`: hears of a decision
 * - `allows`: whether the very same was allowed for good
 */
export interface Remembered {
  readonly keep: (request: McpApprovalRequest, decision: McpApprovalDecision) => void
  readonly allows: (request: McpApprovalRequest) => boolean
}

export const make = (): Remembered => {
  const allowed = new Set<string>()
  return {
    keep: (request, { _tag }) => {
      if (_tag === "ApproveForSession") allowed.add(keyOf(request))
    },
    allows: (request) => allowed.has(keyOf(request)),
  }
}

/** All of it but why: agents find other words for that each time. */
const keyOf = ({ command, cwd, input, kind, message, paths, tool }: McpApprovalRequest): string =>
  JSON.stringify([kind, message, command, cwd, paths, tool, input])
