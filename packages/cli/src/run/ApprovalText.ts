/**
 * What an agent asks before it acts, and what became of it, for people: all that is known of it, exactly.
 */
import type { McpApprovalEntry, McpApprovalRequest, McpFileChange } from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import { clip } from "@zain/tool-server/TextWidth"
import { rows } from "../ExactText.ts"
import type { Output, Paint } from "../Output.ts"
import * as ApprovalFlags from "./ApprovalFlags.ts"
import * as DiffText from "./DiffText.ts"

type Screen = Pick<Output, "columns" | "paint" | "rows">

/**
 * The question in full, as rows. What a row has no room for goes on in the next one, behind `│`. Where it may have gone
 * out of sight, the last row says what it is about. Diffs alone are cut, to what the terminal has room for.
 */
export const question = (title: string, request: McpApprovalRequest, screen: Screen): string => {
  const { paint } = screen
  const { changes = [], command, cwd, input, kind, message, paths = [], reason, tool } = request
  const isPlainCommand = kind === "command" && command !== undefined && tool === undefined && input === undefined
  const head = isPlainCommand ? `${title} wants to run a command:` : visible(message)
  const told = new Set(changes.flatMap(({ movedTo, path }) => [path, movedTo]))
  const before = [
    ...head.split("\n").flatMap((line) => rows(line, screen.columns()).map(paint.bold)),
    ...(kind === "permission" ? [paint.yellow("This is more than its sandbox allows.")] : []),
    ...field(screen, "command", command),
    ...field(screen, "tool", tool),
    ...(input === undefined ? [] : field(screen, "with", JSON.stringify(input, null, 2))),
    ...paths.filter((path) => !told.has(path)).flatMap((path) => field(screen, "file", path)),
  ]
  const after = [...field(screen, "in", cwd), ...field(screen, "because", reason)]
  const all = [...before, ...files(screen, changes, before.length + after.length), ...after]
  if (all.length <= screen.rows() / 3) return all.join("\n")
  const length = ` (${all.length} lines, begins above)`
  const [first = ""] = head.split("\n")
  return [...all, `${paint.bold(clip(first, screen.columns() - length.length))}${paint.yellow(length)}`].join("\n")
}

/** What the answers take of a terminal, with the row before them. */
const answers = 7

/** @param others how many rows the rest of the question has */
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
  isNew === false && (kind === "add" || kind === "move") ? ["  It overwrites a file that is there."] : []

const names = 9
const indent = 2 + names

/** Narrower than this, a terminal cuts rows as it likes. */
const narrowest = 20

/** What a row holds beside the names. */
const widthOf = ({ columns }: Screen): number => Math.max(narrowest, columns() - indent)

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

/** What was decided without anybody being asked, or without an answer; nothing where somebody has seen it. */
export const decided = ({ by, decision, request }: McpApprovalEntry, paint: Paint): string | undefined => {
  if (by === "ask" || by === "interrupted") return undefined
  const about = subject(request)
  if (decision._tag !== "Decline") {
    return `${paint.green("✓")} Allowed ${by === "session" ? "before" : "by the command line"}: ${about}`
  }
  const declined = `${paint.red("✗")} Declined: ${about}`
  if (by !== "default") return `${declined}\n  ${visible(decision.reason)}`
  return `${declined}\n  Nobody can be asked here.${hint(request)}`
}

const hint = (request: McpApprovalRequest): string => {
  if (request.kind === "file-change") return " --approve-changes with its directory would allow it."
  const option = ApprovalFlags.optionFor(request)
  return option === undefined ? "" : ` ${option} would allow it.`
}

/** What it is about, in as few words as say it all. */
const subject = ({ command, kind, message, paths = [], tool }: McpApprovalRequest): string => {
  if (kind === "command" && command !== undefined) return visible(command)
  if (kind === "file-change" && paths.length > 0) return `changes of ${visible(paths.join(", "))}`
  return visible(kind === "tool" && tool !== undefined ? `the tool ${tool}` : message)
}
