/**
 * A probe's report as JSON that stays the same from version to version.
 */
import type { Listing, Served, ServerReport } from "@zain/sdk-client/McpServerProbe"
import * as Secrets from "./Secrets.ts"

/**
 * What came of asking for a list. Absent: it was not asked for.
 *
 * - `count`, `names`: what has come; `complete`: whether that is all
 */
export interface ListSummary {
  readonly outcome: "served" | "refused" | "silent" | "failed"
  readonly count?: number
  readonly complete?: boolean
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
  readonly foreign?: string
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

/** @param shown the command or the URL, if it is not to be told as the report has it */
export const make = (subject: string, report: ServerReport, shown?: string): ServerSummary => {
  const { failure, foreign, lists, steps } = report
  const target = shown ?? (/^https?:/.test(report.target) ? Secrets.ofUrl(report.target).shown : report.target)
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
    ...(foreign === undefined ? {} : { foreign }),
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
      return { outcome: "served", ...some(listing) }
    case "Refused":
      return { outcome: "refused", code: listing.code, message: listing.message, ...some(listing.partial) }
    case "Silent":
      return { outcome: "silent", ...some(listing.partial) }
    case "Failed":
      return { outcome: "failed", message: listing.error.message, ...some(listing.partial) }
  }
}

const some = (served: Served | undefined): Pick<ListSummary, "count" | "complete" | "names"> =>
  served === undefined
    ? {}
    : { count: served.count, complete: served.isComplete, names: served.names.slice(0, mostNames) }
