/**
 * Approval requests and decisions as text for people, with every member of the request.
 */

import { clip } from "@zain/command/TextWidth"
import type { McpApprovalEntry, McpApprovalRequest, McpFileChange } from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import { rows } from "../ExactText.ts"
import type { Output, Paint } from "../Output.ts"
import * as ApprovalFlags from "./ApprovalFlags.ts"
import * as DiffText from "./DiffText.ts"

type Screen = Pick<Output, "columns" | "paint" | "rows">

/**
 * Writes the whole request as rows. A long row continues in the next one, after `│`. If the first row may have scrolled
 * away, the last row repeats it. Only diffs are cut, to the height of the terminal.
 */
export const question = (title: string, request: McpApprovalRequest, screen: Screen): string => {
  const { paint } = screen
  const { changes = [], command, cwd, input, kind, message, paths = [], questions = [], reason, tool } = request
  const isPlainCommand = kind === "command" && command !== undefined && tool === undefined && input === undefined
  const head = isPlainCommand ? `${title} wants to run a command:` : visible(message)
  const shown = new Set(changes.flatMap(({ movedTo, path }) => [path, movedTo]))
  const before = [
    ...head.split("\n").flatMap((line) => rows(line, screen.columns()).map(paint.bold)),
    ...(kind === "permission" ? [paint.yellow("This exceeds its sandbox.")] : []),
    ...field(screen, "command", command),
    ...field(screen, "tool", tool),
    ...(input === undefined ? [] : field(screen, "with", JSON.stringify(input, null, 2))),
    ...paths.filter((path) => !shown.has(path)).flatMap((path) => field(screen, "file", path)),
    ...questions.flatMap(({ header, options, text }) => [
      ...field(screen, "asks", header === undefined ? text : `${header}: ${text}`),
      ...options.flatMap(({ description, label }) =>
        field(screen, "option", description === undefined ? label : `${label}: ${description}`),
      ),
    ]),
  ]
  const after = [...field(screen, "in", cwd), ...field(screen, "because", reason)]
  const all = [...before, ...files(screen, changes, before.length + after.length), ...after]
  if (all.length <= screen.rows() / 3) return all.join("\n")
  const length = ` (${all.length} lines, begins above)`
  const [first = ""] = head.split("\n")
  return [...all, `${paint.bold(clip(first, screen.columns() - length.length))}${paint.yellow(length)}`].join("\n")
}

/** Rows of the answers, with the row before them. */
const answers = 7

/** @param others the number of other rows of the question */
const files = (screen: Screen, changes: ReadonlyArray<McpFileChange>, others: number): ReadonlyArray<string> => {
  const { paint } = screen
  const heads = changes.map((change) => [
    ...field(screen, change.kind, change.path),
    ...field(screen, "to", change.movedTo),
    ...overwrites(change).map(paint.yellow),
  ])
  const room = screen.rows() - answers - others - heads.flat().length
  const diffs = DiffText.fit(changes, { columns: widthOf(screen), paint, room })
  return diffs.flatMap(({ hidden, lines, rows }, at) => [
    ...(heads[at] ?? []),
    ...rows.map(({ isFirst, text }) => `  ${paint.dim((isFirst ? "" : "│ ").padStart(names))}${text}`),
    ...(hidden === 0 ? [] : [paint.yellow(`  ${hidden} of ${lines} lines are not shown whole; --json has them all`)]),
  ])
}

const overwrites = ({ isNew, kind }: McpFileChange): ReadonlyArray<string> =>
  isNew === false && (kind === "add" || kind === "move") ? ["  It overwrites an existing file."] : []

const names = 9
const indent = 2 + names

/** Below this width, rows are not fitted. */
const minColumns = 20

/** The width of a row beside the names. */
const widthOf = ({ columns }: Screen): number => Math.max(minColumns, columns() - indent)

const field = (screen: Screen, name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined
    ? []
    : visible(value)
        .split("\n")
        .flatMap((line, at) =>
          rows(line, widthOf(screen)).map((row, part) => {
            const before = part > 0 ? "│ ".padStart(names) : (at === 0 ? name : "").padEnd(names)
            return `  ${screen.paint.dim(before)}${row}`
          }),
        )

/** Writes a decision that no person made, such as a timeout; nothing for a decision that a person saw. */
export const decided = ({ by, decision, request }: McpApprovalEntry, paint: Paint): string | undefined => {
  if (by === "ask" || by === "interrupted") return undefined
  const about = subject(request)
  if (decision._tag !== "Decline") {
    return `${paint.green("✓")} Allowed ${by === "session" ? "before" : "by the command line"}: ${about}`
  }
  const declined = `${paint.red("✗")} Declined: ${about}`
  if (by !== "default") return `${declined}\n  ${visible(decision.reason)}`
  return `${declined}\n  No terminal to ask on.${hint(request)}`
}

const hint = (request: McpApprovalRequest): string => {
  if (request.kind === "file-change") return " --approve-changes with its directory would allow it."
  const option = ApprovalFlags.optionFor(request)
  return option === undefined ? "" : ` ${option} would allow it.`
}

/** A short exact description of a request. */
const subject = ({ command, kind, message, paths = [], tool }: McpApprovalRequest): string => {
  if (kind === "command" && command !== undefined) return visible(command)
  if (kind === "file-change" && paths.length > 0) return `changes of ${visible(paths.join(", "))}`
  return visible(kind === "tool" && tool !== undefined ? `the tool ${tool}` : message)
}
