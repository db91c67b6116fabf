/**
 * Which requests for approval are the same use, so that an approval for the session counts for the next one too.
 *
 * @see docs/decisions/0015-approvals.md
 */
import type { McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"

/**
 * The decision as an agent receives it: approved once, declined, or answers to its questions. Zain itself keeps approvals
 * for the session.
 */
export type McpApprovalReply = Exclude<
  McpApprovalDecision,
  {
    /** The one decision that a reply never is: the agent receives `Approve`, and the session remembers the use. */
    readonly _tag: "ApproveForSession"
  }
>

/**
 * The decision to send to the agent: `ApproveForSession` becomes `Approve`, as the session runtime keeps approvals for
 * the session.
 *
 * @param decision the decision of the policy
 */
export const reply = (decision: McpApprovalDecision): McpApprovalReply =>
  decision._tag === "ApproveForSession" ? { _tag: "Approve" } : decision

/**
 * Returns a key that two requests share only if they ask for the same use: a command line with its directory and all of
 * `input` but its `timeout`; a tool with its arguments; the files of a change and its tool, whatever is written; a
 * permission with its whole `message`.
 *
 * @param request what the agent asks to do, as the adapter passed it to `approve` of its turn
 * @returns `undefined` if the request does not name what it is about, such as a command without `cwd`, and for a question
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
    case "question":
      return undefined
  }
}

const untimed = (input: unknown): unknown => {
  if (typeof input !== "object" || input === null) return input
  const { timeout: _, ...rest } = input as Readonly<Record<string, unknown>>
  return Object.keys(rest).length === 0 ? undefined : rest
}

/**
 * How many uses a session remembers, and the longest key of one, in characters. A longer or older one is asked for
 * again.
 */
const maxUses = 1_000
const maxKeyLength = 16 * 1024

/** The uses, as `keyOf` tells them apart, that were approved for one session with `ApproveForSession`. */
export interface ApprovedUses {
  /**
   * Whether a use with the same key, as `keyOf` returns it, is remembered; always `false` for a request without a key.
   *
   * @param request what the agent asks to do, as the adapter passed it to `approve` of its turn
   */
  readonly has: (request: McpApprovalRequest) => boolean
  /**
   * Approves the use for the session. Keeps the newest 1,000 uses, and ignores one whose key exceeds 16,384 characters.
   *
   * @param request the request that was approved; one without a key, as `keyOf` returns it, is ignored too
   */
  readonly add: (request: McpApprovalRequest) => void
}

/** Makes an empty set of approved uses, in memory; the session runtime makes one for each session. */
export const make = (): ApprovedUses => {
  let keys: Set<string> | undefined
  return {
    // Building a key is costly for a long request, and most sessions have approved nothing.
    has: (request) => keys?.has(keyOf(request) ?? "") === true,
    add: (request) => {
      const key = keyOf(request)
      if (key === undefined || key.length > maxKeyLength) return
      keys ??= new Set()
      keys.add(key)
      const [oldest] = keys
      if (keys.size > maxUses && oldest !== undefined) keys.delete(oldest)
    },
  }
}
