/**
 * A probe's report as stable JSON; unknown members are `undefined`, and absent in JSON.
 */
import type { Listing, ServerReport } from "@zain/sdk-client/McpServerProbe"
import * as EffectRecord from "effect/Record"
import * as ReportSecrets from "./ReportSecrets.ts"

/** The result of a probe, with `steps` in order, each with its time. */
export type ServerSummary = ReturnType<typeof make>

const maxNames = 200
const maxInstructionsLength = 4_000

/** @param shown replaces the command or URL of the report */
export const make = (subject: string, report: ServerReport, shown?: string) => {
  const { capabilities, failure, foreign, instructions, lists, protocolVersion, server, steps } = report
  return {
    subject,
    target: shown ?? (/^https?:/.test(report.target) ? ReportSecrets.ofUrl(report.target).shown : report.target),
    server,
    protocolVersion,
    capabilities,
    instructions: instructions?.slice(0, maxInstructionsLength).toWellFormed(),
    lists: EffectRecord.map(lists as Readonly<Record<string, Listing>>, list),
    steps,
    foreign,
    failure: failure && {
      step: failure.step,
      error: failure.error._tag,
      reason: failure.error.reason,
      message: failure.error.message,
      diagnostics: failure.error.diagnostics,
    },
  }
}

/** The result of a list request. `count`, `names`: the received entries. `complete`: whether these are all */
const list = (listing: Listing) => {
  const served = listing._tag === "Served" ? listing : listing.partial
  return {
    outcome: listing._tag.toLowerCase() as Lowercase<Listing["_tag"]>,
    code: listing._tag === "Refused" ? listing.code : undefined,
    message: "error" in listing ? listing.error.message : "message" in listing ? listing.message : undefined,
    count: served?.count,
    complete: served?.isComplete,
    names: served?.names.slice(0, maxNames),
  }
}
