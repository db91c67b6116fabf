/**
 * What a probe's report comes to: does the server answer, and does it do what it says?
 *
 * MCP lets an empty object stand for "supported, without further features", so `tools: {}` is as good as any. What goes
 * wrong is another thing: a capability that is left out although it is served, or declared although it is not.
 *
 * @see Model Context Protocol 2025-11-25, lifecycle, capability negotiation
 */
import type { Listing, ListName, ServerReport } from "@zain/sdk-client/McpServerProbe"
import * as Advice from "./Advice.ts"
import { about, type Finding } from "./Finding.ts"

/**
 * @param subject what people call the server
 * @returns the findings: at least one
 */
export const make = (subject: string, report: ServerReport): ReadonlyArray<Finding> => {
  const found = about(subject)
  const { failure } = report
  const refused = Advice.refusedHandler(report)
  if (failure?.step === "initialize" || failure?.step === "open" || failure?.step === "configure") {
    if (refused !== undefined) return [found("problem", "handler-without-capability", failure.error.message, refused)]
    return [found("problem", "handshake", failure.error.message, Advice.unreached(report))]
  }
  const handshake = found("ok", "handshake", introduction(report))
  return [
    handshake,
    ...(failure === undefined
      ? []
      : [found("problem", "handshake", `At ${failure.step}: ${failure.error.message}`, Advice.unreached(report))]),
    ...capabilities(subject, report),
  ]
}

const introduction = ({ capabilities = {}, protocolVersion, server, steps }: ServerReport): string => {
  const who =
    server === undefined ? "A server without a name" : short(`${server.title ?? server.name} ${server.version}`)
  const times = steps.map(({ millis, name }) => `${name} ${Math.round(millis)} ms`).join(", ")
  return `${who}, MCP ${protocolVersion}, declares ${short(JSON.stringify(capabilities))} (${times})`
}

const capabilities = (subject: string, { capabilities = {}, lists }: ServerReport): ReadonlyArray<Finding> => {
  const found = about(subject)
  const findings: Array<Finding> = []
  const { tools } = lists
  const isDeclared = "tools" in capabilities
  if (tools?._tag === "Served" && tools.count > 0) {
    if (isDeclared) findings.push(found("ok", "tools", `${many(tools.count, "tool")}: ${names(tools)}`))
    else findings.push(found("problem", "tools-undeclared", ...Advice.undeclared(tools.count, capabilities)))
  } else if (isDeclared && tools !== undefined) {
    findings.push(
      tools._tag === "Served"
        ? found("warning", "tools-none", ...Advice.noTools())
        : found("problem", "declared-not-served", ...Advice.notServed("tools", said(tools))),
    )
  } else if (Object.keys(capabilities).length === 0) {
    findings.push(found("warning", "tools-none", ...Advice.nothing()))
  }
  for (const name of ["resources", "prompts"] as const) {
    const listing = answered(lists, name)
    if (listing === undefined) continue
    if (listing._tag !== "Served") {
      findings.push(found("problem", "declared-not-served", ...Advice.notServed(name, said(listing))))
    } else if (listing.count === 0) {
      findings.push(found("warning", "declared-empty", ...Advice.servedEmpty(name, capabilities)))
    }
  }
  return findings
}

/** Resources may be there by templates alone. */
const answered = (lists: ServerReport["lists"], name: Exclude<ListName, "resourceTemplates">): Listing | undefined => {
  const listing = lists[name]
  const { resourceTemplates } = lists
  if (name !== "resources" || resourceTemplates?._tag !== "Served") return listing
  return resourceTemplates.count > 0 ? resourceTemplates : listing
}

const said = (listing: Exclude<Listing, { readonly _tag: "Served" }>): string => {
  switch (listing._tag) {
    case "Refused":
      return `is refused (${listing.code}${listing.message === "" ? "" : `: ${listing.message}`})`
    case "Silent":
      return "is never answered"
    case "Failed":
      return `fails: ${listing.error.message}`
  }
}

/** What a server says of itself may be long. */
const longest = 400
const short = (text: string) => (text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`)

const shownNames = 8

const names = ({ count, names }: Extract<Listing, { readonly _tag: "Served" }>): string => {
  const shown = short(names.slice(0, shownNames).join(", "))
  return count > shownNames ? `${shown} and ${count - shownNames} more` : shown
}

const many = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`
