/**
 * The settings files that are in effect for a thread. Claude Code ignores a file whole, with its rules, that is no JSON or has
 * one invalid value, and reports it only in the answer to `get_settings`.
 *
 * @see Claude Code 2.1.332: measured. It accepts a byte order mark and an empty file, and no comment or trailing comma
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import { isRecord } from "@zain/process/JsonRpc"
import { clip } from "@zain/tool-server/Clip"

/** The state of the files: a fault, or whether Claude Code itself must judge them. */
export type State = { readonly problem: string } | { readonly isPlain: boolean }

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
  for (const file of files) {
    const text = (await readFile(file, "utf8").catch(() => "")).replace(/^\uFEFF/, "")
    if (text.trim() === "") continue
    const settings = parsed(text)
    if (typeof settings === "string") return { problem: ignored(file, settings) }
    isPlain &&= hasUsualRules(settings)
  }
  return { isPlain }
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
const lists = ["allow", "ask", "deny", "additionalDirectories"]

const hasUsualRules = ({ hooks = {}, permissions = {} }: JsonObject): boolean =>
  isRecord(permissions) &&
  isRecord(hooks) &&
  lists.every((name) => permissions[name] === undefined || Array.isArray(permissions[name])) &&
  modes.includes(recordOf({ permissions }, "permissions")["defaultMode"] ?? "default")
