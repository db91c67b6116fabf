/**
 * Findings of a probe: whether the server answers, and serves what it declares.
 *
 * In MCP an empty object means "supported, without further features", so `tools: {}` is valid. Findings are
 * capabilities that are served and not declared, or declared and not served.
 *
 * @see Model Context Protocol 2025-11-25, lifecycle, capability negotiation
 */
import {
  type Listing,
  type ListName,
  listMethods,
  type Served,
  type ServerReport,
} from "@zain/sdk-client/McpServerProbe"
import * as Advice from "./Advice.ts"
import { about, type Finding } from "./Finding.ts"
import * as ToolFindings from "./ToolFindings.ts"

/**
 * @param subject the server's name in findings
 * @param source the file or option that names it
 * @returns at least one finding
 */
export const make = (subject: string, report: ServerReport, source: Advice.Source): ReadonlyArray<Finding> => {
  const found = about(subject)
  const { failure, foreign } = report
  const handshake = (what: string) => found("problem", "handshake", what, Advice.unreached(report, source))
  if (failure !== undefined && ["configure", "open", "initialize"].includes(failure.step)) {
    const { message } = failure.error
    if (report.isFramed) return [found("problem", "wrong-framing", message, Advice.framed)]
    const refused = Advice.refusedHandler(report)
    return [
      refused === undefined ? handshake(message) : found("problem", "handler-without-capability", message, refused),
    ]
  }
  return [
    found("ok", "handshake", introduction(report)),
    ...(failure === undefined ? [] : [handshake(`At ${failure.step}: ${failure.error.message}`)]),
    ...(foreign === undefined ? [] : [found("warning", "banner", ...Advice.banner(foreign))]),
    ...capabilities(subject, report),
    ...ToolFindings.make(subject, report, report.lists.tools && partOf(report.lists.tools)),
  ]
}

const introduction = ({ capabilities = {}, protocolVersion, server, steps }: ServerReport): string => {
  const who = server === undefined ? "An unnamed server" : short(`${server.name} ${server.version}`)
  const times = steps.map(({ millis, name }) => `${name} ${Math.round(millis)} ms`).join(", ")
  return `${who}, MCP ${protocolVersion}, declares ${short(JSON.stringify(capabilities))} (${times})`
}

const capabilities = (subject: string, { capabilities = {}, lists }: ServerReport): ReadonlyArray<Finding> => {
  const found = about(subject)
  const findings: Array<Finding> = []
  const { tools } = lists
  const isDeclared = "tools" in capabilities
  const there = tools === undefined ? undefined : partOf(tools)
  if (there !== undefined && there.count > 0) {
    if (isDeclared) findings.push(found("ok", "tools", `${many(there, "tool")}: ${names(there)}`))
    else findings.push(found("problem", "tools-undeclared", ...Advice.undeclared(many(there, "tool"), capabilities)))
  } else if (isDeclared && tools?._tag === "Served") {
    findings.push(found("warning", "tools-none", ...Advice.noTools()))
  } else if (!isDeclared && Object.keys(capabilities).length === 0) {
    findings.push(found("warning", "tools-none", ...Advice.nothing()))
  }
  const isNotServed = isDeclared && tools !== undefined && tools._tag !== "Served" && tools.partial === undefined
  if (isNotServed) findings.push(found("problem", "declared-not-served", ...Advice.notServed("tools", said(tools))))
  for (const name of ["resources", "prompts"] as const) {
    const listing = answered(lists, name)
    if (listing === undefined) continue
    if (listing._tag !== "Served" && listing.partial === undefined) {
      findings.push(found("problem", "declared-not-served", ...Advice.notServed(name, said(listing))))
    } else if (listing._tag === "Served" && listing.count === 0) {
      findings.push(found("warning", "declared-empty", ...Advice.servedEmpty(name, capabilities)))
    }
  }
  for (const [name, listing] of Object.entries(lists) as ReadonlyArray<[ListName, Listing]>) {
    const part = partOf(listing)
    if (part === undefined || part.isComplete) continue
    const why =
      listing._tag === "Served"
        ? `did not end after ${part.pages} pages`
        : `returned ${part.pages} ${part.pages === 1 ? "page" : "pages"}, and the next one ${said(listing)}`
    findings.push(
      found("warning", "list-incomplete", ...Advice.incomplete(count(part, nouns[name]), listMethods[name], why)),
    )
  }
  return findings
}

/** The received part of a list, also if a later page failed. */
const partOf = (listing: Listing): Served | undefined => (listing._tag === "Served" ? listing : listing.partial)

const nouns = { tools: "tool", resources: "resource", resourceTemplates: "template", prompts: "prompt" } as const

/** Resources may exist as templates alone. */
const answered = (lists: ServerReport["lists"], name: Exclude<ListName, "resourceTemplates">): Listing | undefined => {
  const listing = lists[name]
  const { resourceTemplates } = lists
  if (name !== "resources" || resourceTemplates?._tag !== "Served") return listing
  return resourceTemplates.count > 0 ? resourceTemplates : listing
}

const said = (listing: Exclude<Listing, { readonly _tag: "Served" }>): string => {
  switch (listing._tag) {
    case "Refused":
      return `fails (${listing.code}${listing.message === "" ? "" : `: ${short(listing.message)}`})`
    case "Silent":
      return "times out"
    case "Failed":
      return `fails: ${short(listing.error.message)}`
  }
}

/** The longest text of a server in a finding, in characters. */
const longest = 400
const short = (text: string) => (text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`)

const shownNames = 8

const names = ({ count, names }: Served): string => {
  const shown = short(names.slice(0, shownNames).join(", "))
  return count > shownNames ? `${shown} and ${count - shownNames} more` : shown
}

const count = ({ count }: Served, what: string) => (count === 1 ? `a ${what}` : `${count} ${what}s`)

const many = (served: Served, what: string) =>
  `${served.isComplete ? "" : "at least "}${served.count} ${what}${served.count === 1 ? "" : "s"}`
