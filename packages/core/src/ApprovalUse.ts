/**
 * Which uses of an agent's are the same, so that what was approved for a session counts for the next one too.
 *
 * @see docs/decisions/0015-approvals.md
 */
import type { McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"

/** What an agent is told: its use is approved once, or not. */
export type McpApprovalReply = Exclude<McpApprovalDecision, { readonly _tag: "ApproveForSession" }>

/** The decision for the agent: the host keeps what is approved for the session. */
export const reply = (decision: McpApprovalDecision): McpApprovalReply =>
  decision._tag === "ApproveForSession" ? { _tag: "Approve" } : decision

/**
 * The same for the same use, and no other: a command line with its directory, and what else it is run with but for how long; a
 * tool with its arguments; the same files changed by the same tool, whatever is written; a permission in all its words.
 * `undefined` where a request does not say enough of what it is about.
 */
export const keyOf = (request: McpApprovalRequest): string | undefined => {
  const { command, cwd, input, kind, message, paths, sandbox, tool } = request
  const place = [kind, tool, command, cwd, paths, sandbox]
  switch (kind) {
    case "command":
      return command === undefined || cwd === undefined ? undefined : JSON.stringify([...place, untimed(input)])
    case "file-change":
      return paths === undefined || paths.length === 0 ? undefined : JSON.stringify(place)
    case "tool":
      return tool === undefined ? undefined : JSON.stringify([...place, input])
    case "permission":
      return JSON.stringify([...place, message, input])
  }
}

const untimed = (input: unknown): unknown => {
  if (typeof input !== "object" || input === null) return input
  const { timeout: _, ...rest } = input as Readonly<Record<string, unknown>>
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** How many uses a session remembers, the newest, and how long one may be, in characters. A longer one is asked for again. */
const most = 1_000
const longest = 16 * 1024

/**
 * What was approved for one session.
 *
 * - `has`: whether the same use was
 * - `add`: it is from now on
 */
export interface ApprovedUses {
  readonly has: (request: McpApprovalRequest) => boolean
  readonly add: (request: McpApprovalRequest) => void
}

/** Nothing yet. */
export const make = (): ApprovedUses => {
  const keys = new Set<string>()
  return {
    // A request may be long, and most sessions approve nothing for good.
    has: (request) => keys.size > 0 && keys.has(keyOf(request) ?? ""),
    add: (request) => {
      const key = keyOf(request)
      if (key === undefined || key.length > longest) return
      keys.add(key)
      const [oldest] = keys
      if (keys.size > most && oldest !== undefined) keys.delete(oldest)
    },
  }
}
