/**
 * Approvals for the rest of a client's session, by thread.
 */
import * as ApprovalUse from "@zain/core/ApprovalUse"
import { putNewest } from "./ThreadStore.ts"

/** How many threads have approvals; the least recently used is forgotten first. */
const maxThreads = 64

/** Returns the approvals of a thread. A client starts with none. */
export const make = (): ((threadId: string) => ApprovalUse.ApprovedUses) => {
  const threads = new Map<string, ApprovalUse.ApprovedUses>()
  return (threadId) => {
    const uses = threads.get(threadId) ?? ApprovalUse.make()
    putNewest(threads, threadId, uses, maxThreads)
    return uses
  }
}
