/**
 * Findings about a server's tools: their number, names, schemas and announced changes.
 */

import { clip } from "@zain/command/TextWidth"
import { visible } from "@zain/core/TerminalText"
import type { Served, ServerReport, ToolFault } from "@zain/sdk-client/McpServerProbe"
import * as ClientRules from "@zain/tool-server/ClientRules"
import * as Predicate from "effect/Predicate"
import { about, type Finding } from "./Finding.ts"

/**
 * @param subject the server's name in findings
 * @param tools the received part of its list of tools
 */
export const make = (
  subject: string,
  { capabilities = {}, changes, toolFaults }: ServerReport,
  tools: Served | undefined,
): ReadonlyArray<Finding> => {
  const found = about(subject)
  const schemas = toolFaults.filter(({ at }) => at !== "name")
  const names = toolFaults.filter(({ at }) => at === "name")
  const unsaid = changes.filter((name) => !saysChanges(capabilities[name]))
  return [
    ...(tools === undefined ? [] : tooMany(subject, tools)),
    ...(schemas.length === 0
      ? []
      : [
          found("problem", "tool-schema", `${faults(schemas)}.`, {
            cause:
              'An `inputSchema` or `outputSchema` must be a JSON Schema of `type: "object"`. Otherwise ' +
              "clients with the official SDK reject the whole list, and models' APIs reject every request with the tool.",
            fix: 'Correct the schema. A tool without arguments has inputSchema: { "type": "object" }.',
          }),
        ]),
    ...(names.length === 0
      ? []
      : [
          found("warning", "tool-name", `${faults(names)}.`, {
            cause:
              `${listed(ClientRules.rejecting)} reject a list with a name that does not match ` +
              `\`${ClientRules.acceptedName.source}\`, or with a name twice. Other clients rename such a tool, or omit it.`,
            fix: "Give each tool a unique name of these characters, such as scene_save instead of scene.save.",
          }),
        ]),
    ...(unsaid.length === 0
      ? []
      : [
          found(
            "warning",
            "list-changed-unsaid",
            `It sends ${listed(unsaid.map(notice))}, which it does not declare.`,
            {
              cause:
                `\`initialize\` has no \`listChanged: true\` in ${listed(unsaid.map((name) => `\`${name}\``))}. Clients that ` +
                "follow the capabilities ignore the notification, and keep their old list.",
              fix: `Declare it: capabilities: { ${unsaid.map((name) => `${name}: { listChanged: true }`).join(", ")} }.`,
            },
          ),
        ]),
  ]
}

const tooMany = (subject: string, { count, isComplete }: Served): ReadonlyArray<Finding> => {
  const clients = ClientRules.rules.flatMap(({ maxTools, name }) =>
    maxTools === undefined || maxTools >= count ? [] : [`${titled(name)} (${maxTools})`],
  )
  if (clients.length === 0) return []
  const many = `${isComplete ? "" : "at least "}${count} tools`
  return [
    about(subject)("warning", "tools-many", `It has ${many}, more than ${listed(clients)} accept.`, {
      cause: "These clients omit tools, or ask users to, above their limit for all servers.",
      fix: "Group the tools, or give the server an option that omits categories; in the client, disable unneeded tools.",
    }),
  ]
}

const titled = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

const notice = (name: string) => `notifications/${name}/list_changed`

const saysChanges = (capability: unknown): boolean =>
  Predicate.isReadonlyObject(capability) && capability["listChanged"] === true

const conjunction = new Intl.ListFormat("en-GB")

/** `a, b and c`. */
const listed = (words: ReadonlyArray<string>): string => conjunction.format(words)

const mostShown = 3
const longestName = 80

const faults = (all: ReadonlyArray<ToolFault>): string => {
  const shown = all
    .slice(0, mostShown)
    .map(({ at, tool, what }) => `tool ${visible(clip(tool, longestName))}: ${visible(at)} ${what}`)
  const more = all.length - shown.length
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`
}
