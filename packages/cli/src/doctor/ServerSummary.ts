/**
 * A probe's report as JSON that stays the same from version to version.
 */
import type { Listing, ServerReport } from "@zain/sdk-client/McpServerProbe"

/** What came of asking for a list. Absent: it was not asked for. */
export interface ListSummary {
  readonly outcome: "served" | "refused" | "silent" | "failed"
  readonly count?: number
  readonly names?: ReadonlyArray<string>
  readonly code?: number
  readonly message?: string
}

/** - `steps`: in order, each with its time */
export interface ServerSummary {
  readonly subject: string
  readonly target: string
  readonly server?: ServerReport["server"]
  readonly protocolVersion?: string
  readonly capabilities?: Readonly<Record<string, unknown>>
  readonly instructions?: string
  readonly lists: Readonly<Record<string, ListSummary>>
  readonly steps: ServerReport["steps"]
  readonly failure?: {
    readonly step: string
    readonly error: string
    readonly reason: string
    readonly message: string
    readonly diagnostics?: object
  }
}

const mostNames = 200
const longestInstructions = 4_000

export const make = (subject: string, report: ServerReport): ServerSummary => {
  const { failure, lists, steps, target } = report
  const { capabilities, instructions, protocolVersion, server } = report
  return {
    subject,
    target,
    ...(server === undefined ? {} : { server }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(instructions === undefined ? {} : { instructions: instructions.slice(0, longestInstructions).toWellFormed() }),
    lists: Object.fromEntries(Object.entries(lists).map(([name, listing]) => [name, list(listing)])),
    steps,
    ...(failure === undefined
      ? {}
      : {
          failure: {
            step: failure.step,
            error: failure.error._tag,
            reason: failure.error.reason,
            message: failure.error.message,
            ...(failure.error.diagnostics === undefined ? {} : { diagnostics: failure.error.diagnostics }),
          },
        }),
  }
}

const list = (listing: Listing): ListSummary => {
  switch (listing._tag) {
    case "Served":
      return { outcome: "served", count: listing.count, names: listing.names.slice(0, mostNames) }
    case "Refused":
      return { outcome: "refused", code: listing.code, message: listing.message }
    case "Silent":
      return { outcome: "silent" }
    case "Failed":
      return { outcome: "failed", message: listing.error.message }
  }
}
