/**
 * Findings of a probe: whether the server answers, and serves what it declares.
 *
 * In MCP an empty object means "supported, without further features", so `tools: {}` is valid. Findings are
 * capabilities that are served and not declared, or declared and not served.
 *
 * @see Model Context Protocol 2025-11-25, lifecycle, capability negotiation
 */

import { clip } from "@zain/command/TextWidth"
import { visible } from "@zain/core/TerminalText"
import {
  type Listing,
  type ListName,
  listMethods,
  type Served,
  type ServerReport,
  type ToolFault,
} from "@zain/sdk-client/McpServerProbe"
import * as ClientRules from "@zain/tool-server/ClientRules"
import * as Predicate from "effect/Predicate"
import * as Advice from "./Advice.ts"
import { about, type Finding } from "./Finding.ts"

/**
 * @param subject the server's name in findings
 * @param source the file or option that names it
 * @returns at least one finding
 */
export const make = (subject: string, report: ServerReport, source: Advice.Source): ReadonlyArray<Finding> => {
  const found = about(subject)
  const { failure, foreign } = report
  const unreached = (what: string) => found("handshake.failed", what, ...Advice.unreached(report, source))
  if (failure !== undefined && ["configure", "open", "initialize"].includes(failure.step)) {
    const { message } = failure.error
    if (report.isFramed) return [found("wrong-framing", message)]
    const [, capability, method] = rejectedHandler(report)
    return [
      capability === undefined ? unreached(message) : found("handler-without-capability", message, capability, method),
    ]
  }
  return [
    found("handshake", introduction(report)),
    ...(failure === undefined ? [] : [unreached(`At ${failure.step}: ${failure.error.message}`)]),
    ...(foreign === undefined ? [] : [found("banner", foreign)]),
    ...capabilities(subject, report),
    ...ofTools(subject, report),
  ]
}

/** The handler that the SDK's server rejects, which usually ends the server. */
const rejectedHandler = ({ diagnostics, failure }: ServerReport): ReadonlyArray<string | undefined> => {
  const text = `${failure?.error.message} ${failure?.error.diagnostics?.stderrTail} ${diagnostics.stderrTail}`
  return /Server does not support (\w+) \(required for ([\w/]+)\)/.exec(text) ?? []
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
  const there = tools && partOf(tools)
  if (there !== undefined && there.count > 0) {
    if (isDeclared) findings.push(found("tools", `${many(there)}: ${names(there)}`))
    else findings.push(found("tools-undeclared", many(there), capabilities))
  } else if (isDeclared && tools?._tag === "Served") {
    findings.push(found("tools-none"))
  } else if (!isDeclared && Object.keys(capabilities).length === 0) {
    findings.push(found("tools-none.undeclared"))
  }
  for (const name of ["tools", "resources", "prompts"] as const) {
    const listing = name === "tools" && !isDeclared ? undefined : answered(lists, name)
    if (listing === undefined) continue
    if (listing._tag !== "Served" && listing.partial === undefined) {
      findings.push(found("declared-not-served", name, said(listing)))
    } else if (name !== "tools" && listing._tag === "Served" && listing.count === 0) {
      findings.push(found("declared-empty", name, capabilities[name]))
    }
  }
  for (const [name, listing] of Object.entries(lists) as ReadonlyArray<[ListName, Listing]>) {
    const part = partOf(listing)
    if (part === undefined || part.isComplete) continue
    const how =
      listing._tag === "Served"
        ? `did not end after ${part.pages} pages`
        : `returned ${part.pages} ${part.pages === 1 ? "page" : "pages"}, and the next one ${said(listing)}`
    const count = part.count === 1 ? `a ${nouns[name]}` : `${part.count} ${nouns[name]}s`
    findings.push(found("list-incomplete", count, listMethods[name], how))
  }
  return findings
}

/** Findings about a server's tools: their number, names, schemas and announced changes. */
const ofTools = (
  subject: string,
  { capabilities = {}, changes, lists, toolFaults }: ServerReport,
): ReadonlyArray<Finding> => {
  const found = about(subject)
  const tools = lists.tools && partOf(lists.tools)
  const clients = ClientRules.rules.flatMap(({ maxTools, name }) =>
    maxTools === undefined || tools === undefined || maxTools >= tools.count ? [] : [`${titled(name)} (${maxTools})`],
  )
  const schemas = toolFaults.filter(({ at }) => at !== "name")
  const names = toolFaults.filter(({ at }) => at === "name")
  const unsaid = changes.filter((name) => !saysChanges(capabilities[name]))
  return [
    ...(tools === undefined || clients.length === 0 ? [] : [found("tools-many", many(tools), clients)]),
    ...(schemas.length === 0 ? [] : [found("tool-schema", faults(schemas))]),
    ...(names.length === 0 ? [] : [found("tool-name", faults(names))]),
    ...(unsaid.length === 0 ? [] : [found("list-changed-unsaid", unsaid)]),
  ]
}

const titled = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

const saysChanges = (capability: unknown): boolean =>
  Predicate.isReadonlyObject(capability) && capability["listChanged"] === true

const maxShown = 3
const maxNameLength = 80

const faults = (all: ReadonlyArray<ToolFault>): string => {
  const shown = all
    .slice(0, maxShown)
    .map(({ at, tool, what }) => `tool ${visible(clip(tool, maxNameLength))}: ${visible(at)} ${what}`)
  const more = all.length - shown.length
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`
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
const maxTextLength = 400
const short = (text: string) =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength).toWellFormed()}…`

const shownNames = 8

const names = ({ count, names }: Served): string => {
  const shown = short(names.slice(0, shownNames).join(", "))
  return count > shownNames ? `${shown} and ${count - shownNames} more` : shown
}

const many = ({ count, isComplete }: Served) => `${isComplete ? "" : "at least "}${count} tool${count === 1 ? "" : "s"}`
