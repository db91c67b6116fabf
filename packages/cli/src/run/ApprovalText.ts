/**
 * What an agent asks before it acts, and what became of it, for people: all that is known of it, exactly.
 */
import type { McpApprovalEntry, McpApprovalRequest } from "@zain/core/McpApproval"
import { visible } from "../ExactText.ts"
import type { Paint } from "../Output.ts"
import * as ApprovalFlags from "./ApprovalFlags.ts"

/** The question in full, as lines. */
export const question = (title: string, request: McpApprovalRequest, paint: Paint): string => {
  const { command, cwd, input, kind, message, paths = [], reason, tool } = request
  const isPlainCommand = kind === "command" && command !== undefined && tool === undefined && input === undefined
  return [
    paint.bold(isPlainCommand ? `${title} wants to run a command:` : visible(message)),
    ...(kind === "permission" ? [paint.yellow("This is more than its sandbox allows.")] : []),
    ...field(paint, "command", command),
    ...field(paint, "tool", tool),
    ...(input === undefined ? [] : field(paint, "with", JSON.stringify(input, null, 2))),
    ...paths.flatMap((path) => field(paint, "file", path)),
    ...field(paint, "in", cwd),
    ...field(paint, "because", reason),
  ].join("\n")
}

const names = 9

const field = (paint: Paint, name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined
    ? []
    : visible(value)
        .split("\n")
        .map((line, at) => `  ${paint.dim((at === 0 ? name : "").padEnd(names))}${line}`)

/** What was decided without anybody being asked, or without an answer; nothing where somebody has seen it. */
export const decided = ({ by, decision, request }: McpApprovalEntry, paint: Paint): string | undefined => {
  if (by === "ask" || by === "interrupted") return undefined
  const about = subject(request)
  if (decision._tag !== "Decline") return `${paint.green("✓")} Allowed by the command line: ${about}`
  const declined = `${paint.red("✗")} Declined: ${about}`
  if (by !== "default") return `${declined}\n  ${visible(decision.reason)}`
  const option = ApprovalFlags.optionFor(request)
  const hint = option === undefined ? "" : ` ${visible(option)} would allow it.`
  return `${declined}\n  Nobody can be asked here.${hint}`
}

/** What it is about, in as few words as say it all. */
const subject = ({ command, kind, message, paths = [], tool }: McpApprovalRequest): string => {
  if (kind === "command" && command !== undefined) return visible(command)
  if (kind === "file-change" && paths.length > 0) return `changes of ${visible(paths.join(", "))}`
  return visible(kind === "tool" && tool !== undefined ? `the tool ${tool}` : message)
}
