/**
 * Approvals that Claude Code requests, and the responses to them.
 *
 * @see Claude Code 2.1.332, `--permission-prompt-tool=stdio`: `can_use_tool`
 */
import { resolve } from "node:path"
import type { Question } from "@zain/agent-server/Agent"
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { recordOf, textOf } from "@zain/agent-server/JsonMember"
import { pathsIn } from "@zain/agent-server/ToolPaths"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import { editsOf } from "./ClaudeCodeEdits.ts"
import { title } from "./ToolTitle.ts"

/** Where an approved action runs. */
export interface ApprovalPlace {
  /** Directory that the agent works in. */
  readonly cwd: string
  /** Whether Claude Code's settings may put commands in a sandbox. */
  readonly mayBeSandboxed: boolean
}

/** Tools that ask a person a question, which an approval cannot answer. */
const questions = new Set(["AskUserQuestion"])

const edits = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"])

/** Why a request is declined without the client. */
export const refusalOf = (request: AgentMessage): string | undefined =>
  questions.has(textOf(request, "tool_name") ?? "")
    ? "Questions cannot be answered here. Choose what is most likely meant, and say which choice you made."
    : undefined

/**
 * Reads a request.
 *
 * @param request a `can_use_tool`
 */
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

/** A command outside of the sandbox is of kind `permission`, so that a rule for commands does not approve it. */
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

/** Models also write a boolean as text. */
const isSet = (value: unknown): boolean => value !== undefined && value !== false && value !== "false"

/** The files that a tool names, and the target of a link if Claude Code reports it. */
const pathsOf = (tool: string, request: AgentMessage, cwd: string): ReadonlyArray<string> => {
  const input = recordOf(request, "input")
  const behind = textOf(request, "blocked_path")
  const named = tool in searches ? [searches[tool as keyof typeof searches](input, cwd)] : pathsIn(input)
  return [...new Set(behind === undefined || named.length === 0 ? named : [...named, behind])]
}

/** The whole parts of a path before the first that is a pattern. */
const beforeGlob = (pattern: string): string => {
  const at = pattern.search(/[*?[{]/)
  return at < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf("/", at) + 1)
}

/** The search directory of tools whose input may lack one. */
const searches = {
  Glob: (input: AgentMessage, cwd: string) =>
    resolve(cwd, textOf(input, "path") ?? "", beforeGlob(textOf(input, "pattern") ?? "")),
  Grep: (input: AgentMessage, cwd: string) => textOf(input, "path") ?? cwd,
  LS: (input: AgentMessage, cwd: string) => textOf(input, "path") ?? cwd,
}

/** The response to this request only. Suggested rules for later ones are not accepted. */
export const write = (request: AgentMessage, decision: McpApprovalReply): object =>
  decision._tag === "Decline"
    ? { behavior: "deny", message: decision.reason === "" ? "The user declined." : decision.reason }
    : { behavior: "allow", updatedInput: recordOf(request, "input") }
