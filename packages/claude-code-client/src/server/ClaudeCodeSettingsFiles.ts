/**
 * The settings files that are in effect for a thread. Claude Code ignores a file whole, with its rules, that is no JSON or has
 * one invalid value, and reports it only in the answer to `get_settings`. It drops a rule that it cannot read without a word.
 *
 * @see Claude Code 2.1.332: measured. It accepts a byte order mark and an empty file, and no comment or trailing comma. Of
 *   managed settings it reports every fault on stderr, and does not start where they are no JSON
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { type JsonObject, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import { clip } from "@zain/command/Clip"
import { isRecord } from "@zain/process/JsonRpc"
import * as DroppedRules from "../native/DroppedRules.ts"

/** The state of the files: a fault, or whether Claude Code itself must judge them. */
export type State =
  | { readonly problem: string }
  | { readonly isPlain: boolean; readonly restrictions: ReadonlyArray<DroppedRules.Restriction> }

/**
 * Reads the files without starting Claude Code.
 *
 * @param configDirectory directory of the user's configuration
 * @param project directory whose files apply too, if the caller trusts it
 */
export const read = async (configDirectory: string, project: string | undefined): Promise<State> => {
  const names = ["settings.json", "settings.local.json"]
  const files = [
    join(configDirectory, "settings.json"),
    ...(project === undefined ? [] : names.map((name) => join(project, ".claude", name))),
  ]
  let isPlain = true
  const restrictions: Array<DroppedRules.Restriction> = []
  for (const file of files) {
    const text = (await readFile(file, "utf8").catch(() => "")).replace(/^\uFEFF/, "")
    if (text.trim() === "") continue
    const settings = parsed(text)
    if (typeof settings === "string") return { problem: ignored(file, settings) }
    isPlain &&= Object.entries(settings).every(isUsual)
    restrictions.push(...DroppedRules.of(file, settings))
  }
  return { isPlain, restrictions }
}

/** The fault of the first file that Claude Code ignores, by its answer to `get_settings`. */
export const problemIn = (held: JsonObject): string | undefined => {
  const error = recordsOf(held, "errors").find((one) =>
    /(^|[\\/])(managed-)?settings(\.local)?\.json$/.test(textOf(one, "file") ?? ""),
  )
  if (error === undefined) return undefined
  const path = textOf(error, "path") ?? ""
  return ignored(textOf(error, "file") ?? "", `${path === "" ? "" : `\`${path}\`: `}${textOf(error, "message") ?? ""}`)
}

/** The first restriction that Claude Code drops, by its answer to `get_settings`. */
export const droppedOf = (
  restrictions: ReadonlyArray<DroppedRules.Restriction>,
  held: JsonObject,
): string | undefined => {
  const lost = DroppedRules.first(restrictions, held)
  if (lost === undefined) return undefined
  const rule = clip(JSON.stringify(lost.rule), 200)
  return `Claude Code would ignore the rule ${rule} of \`permissions.${lost.list}\` in ${clip(lost.file, 300)}, because it is malformed. Correct the rule, or set \`ignore-invalid-settings\`.`
}

const ignored = (file: string, why: string): string =>
  `Claude Code would ignore the settings of ${clip(file, 300)}, with their rules: ${clip(why, 300)}. Correct the file, or set \`ignore-invalid-settings\`.`

/** The value, or why it is none. The parser's own message quotes the text, which may be secret. */
const parsed = (text: string): JsonObject | string => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : "it is no object"
  } catch (cause) {
    const place = /\(line \d+ column \d+\)/.exec(String(cause))?.[0]
    return `it is no JSON${place === undefined ? "" : ` ${place}`}`
  }
}

const modes: ReadonlyArray<unknown> = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"]
const types: Readonly<Record<string, string>> = {
  ...{ $schema: "string", model: "string", language: "string", outputStyle: "string" },
  ...{ alwaysThinkingEnabled: "boolean", includeCoAuthoredBy: "boolean", cleanupPeriodDays: "number" },
}

/** Whether Claude Code surely accepts a member of a file. */
const isUsual = ([name, value]: readonly [string, unknown]): boolean =>
  name === "permissions"
    ? isRecord(value) && Object.entries(value).every(isUsualList)
    : name === "env"
      ? isRecord(value)
      : types[name] === typeof value

const usualRule = /^([A-Z]\w*(\([^():\\][^()\\]*\))?|mcp__[\w-]+)$/

const isUsualList = ([name, value]: readonly [string, unknown]): boolean =>
  name === "defaultMode"
    ? modes.includes(value)
    : ["allow", "ask", "deny"].includes(name)
      ? Array.isArray(value) && value.every((rule) => usualRule.test(String(rule)))
      : name === "additionalDirectories" && Array.isArray(value) && value.every((path) => typeof path === "string")
