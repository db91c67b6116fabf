/**
 * What Claude Code asks before it acts, and how it is told.
 *
 * @see Claude Code 2.1.329, `--permission-prompt-tool=stdio`: `can_use_tool`
 */
import { resolve } from "node:path"
import type { Question } from "@zain/agent-server/Agent"
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { recordOf, textOf } from "@zain/agent-server/JsonMember"
import { pathsIn } from "@zain/agent-server/ToolPaths"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import { editsOf } from "./ClaudeCodeEdits.ts"
import { title } from "./ToolTitle.ts"

/**
 * - `cwd`: the directory in which the agent works
 * - `mayBeSandboxed`: whether its settings put a sandbox around commands
 */
export interface ApprovalPlace {
  readonly cwd: string
  readonly mayBeSandboxed: boolean
}

/** Tools that ask a person something that no decision answers. */
const questions = new Set(["AskUserQuestion"])

const edits = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"])

/** What the agent is told at once, without a question to anybody. */
export const refusalOf = (request: AgentMessage): string | undefined =>
  questions.has(textOf(request, "tool_name") ?? "")
    ? "Nobody can answer questions here. Choose what is most likely meant, and say which choice you made."
    : undefined

/** @param request a `can_use_tool` */
export const read = (request: AgentMessage, place: ApprovalPlace): Question => {
  const asked = requestOf(request, place)
  const { paths: [path] = [], tool } = asked
  if (asked.kind !== "file-change" || path === undefined || tool === undefined) return { request: asked }
  return { request: asked, edits: editsOf(tool, recordOf(request, "input"), path, place.cwd) }
}

const requestOf = (request: AgentMessage, { cwd, mayBeSandboxed }: ApprovalPlace): McpApprovalRequest => {
  const tool = textOf(request, "tool_name") ?? "a tool"
  const input = recordOf(request, "input")
  const reason = textOf(request, "decision_reason")
  const about = { cwd, ...(reason === undefined ? {} : { reason }) }
  const command = textOf(input, "command")
  const isOutside = isSet(input["dangerouslyDisableSandbox"])
  const runs = command !== undefined && !tool.startsWith("mcp__")
  const sandbox = runs && (isOutside || !mayBeSandboxed) ? ({ sandbox: "none" } as const) : {}
  if (runs && tool === "Bash")
    return { ...commandOf(command, input, isOutside), ...about, ...described(input), ...sandbox }
  const paths = pathsOf(tool, request, cwd)
  if (edits.has(tool) && paths[0] !== undefined) {
    return { kind: "file-change", message: `Claude Code wants to write \`${paths[0]}\``, tool, paths, ...about }
  }
  const message = `Claude Code wants to use ${title(tool, input)}`
  const files = paths.length === 0 ? {} : { paths }
  return { kind: "tool", message, tool, ...(runs ? { command } : {}), input, ...files, ...about, ...sandbox }
}

/** To leave the sandbox is more than a command: whoever allows a command has not allowed that. */
const commandOf = (
  command: string,
  { command: _, description: __, ...rest }: AgentMessage,
  isOutside: boolean,
): Pick<McpApprovalRequest, "kind" | "message" | "command" | "input"> => {
  const how = [isOutside ? " outside the sandbox" : "", isSet(rest["run_in_background"]) ? " in the background" : ""]
  return {
    kind: isOutside ? "permission" : "command",
    message: `Claude Code wants to run \`${command}\`${how.join("")}`,
    command,
    ...(Object.keys(rest).length === 0 ? {} : { input: rest }),
  }
}

const described = ({ description }: AgentMessage) => (typeof description === "string" ? { reason: description } : {})

/** Models also write a word for it. */
const isSet = (value: unknown): boolean => value !== undefined && value !== false && value !== "false"

/** The files that a tool names, and where a link of them leads, if Claude Code says so. */
const pathsOf = (tool: string, request: AgentMessage, cwd: string): ReadonlyArray<string> => {
  const input = recordOf(request, "input")
  const behind = textOf(request, "blocked_path")
  const named = tool in searches ? [searches[tool as keyof typeof searches](input, cwd)] : pathsIn(input)
  return [...new Set(behind === undefined || named.length === 0 ? named : [...named, behind])]
}

/** Where tools search that may name no directory. */
const searches = {
  Glob: (input: AgentMessage, cwd: string) =>
    resolve(cwd, textOf(input, "path") ?? "", (textOf(input, "pattern") ?? "").replace(/[^/]*[*?[{].*$/s, "")),
  Grep: (input: AgentMessage, cwd: string) => textOf(input, "path") ?? cwd,
  LS: (input: AgentMessage, cwd: string) => textOf(input, "path") ?? cwd,
}

/** What the agent is told: an answer to this question and to no other, whatever it suggests. */
export const write = (request: AgentMessage, decision: McpApprovalReply): object =>
  decision._tag === "Decline"
    ? { behavior: "deny", message: decision.reason === "" ? "The user declined." : decision.reason }
    : { behavior: "allow", updatedInput: recordOf(request, "input") }
