/**
 * Approvals in the order of their events. A policy receives a request before readers of events do.
 */
import type { McpApprovalEntry, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export interface ApprovalLedger {
  /** Stores an entry of the policy, which has the source of the decision. */
  readonly keep: (entry: McpApprovalEntry) => void
  /** Reads an event, and returns its entry if it is a decision. */
  readonly hear: (event: McpEvent) => McpApprovalEntry | undefined
  /** Waits until the event of a request was read. */
  readonly reached: (request: McpApprovalRequest) => Effect.Effect<void>
}

/** Compares requests by identity: a policy and readers receive the same value. */
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
      // A dropped event may have been a request.
      if (event._tag === "Dropped") for (const door of doors.values()) open(door)
      if (event._tag !== "ApprovalDecided") return undefined
      const request = asked.get(event.approvalId)
      return request && entries.get(request)
    },
    reached: (request) => Deferred.await(doorOf(request)),
  }
}
