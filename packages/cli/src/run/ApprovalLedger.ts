/**
 * What is asked and decided, in the order of the events: a policy is asked before its readers have heard of it.
 */
import type { McpApprovalEntry, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export interface ApprovalLedger {
  /** Who decided, which only the policy knows. */
  readonly keep: (entry: McpApprovalEntry) => void
  /** The entry that an event is about, once it is decided. */
  readonly hear: (event: McpEvent) => McpApprovalEntry | undefined
  /** Waits until the events have come to a question. */
  readonly reached: (request: McpApprovalRequest) => Effect.Effect<void>
}

/** A request is the same value for a policy and for readers. */
export const make = (): ApprovalLedger => {
  const asked = new Map<string, McpApprovalRequest>()
  const entries = new Map<McpApprovalRequest, McpApprovalEntry>()
  const doors = new Map<McpApprovalRequest, Deferred.Deferred<void>>()

  const doorOf = (request: McpApprovalRequest) => {
    const door = doors.get(request) ?? Deferred.makeUnsafe<void>()
    doors.set(request, door)
    return door
  }
  const open = (door: Deferred.Deferred<void>) => Deferred.doneUnsafe(door, Effect.void)

  return {
    keep: (entry) => void entries.set(entry.request, entry),
    hear: (event) => {
      if (event._tag === "ApprovalAsked") {
        asked.set(event.approvalId, event.request)
        open(doorOf(event.request))
      }
      // What was lost may have been a question.
      if (event._tag === "Dropped") for (const door of doors.values()) open(door)
      if (event._tag !== "ApprovalDecided") return undefined
      const request = asked.get(event.approvalId)
      return request && entries.get(request)
    },
    reached: (request) => Deferred.await(doorOf(request)),
  }
}
