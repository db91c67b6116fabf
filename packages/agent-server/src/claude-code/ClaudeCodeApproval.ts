/**
 * What Claude Code asks before it acts, and how it is told.
 *
 * @see Claude Code 2.1.329, `--permission-prompt-tool=stdio`: `can_use_tool`
 */
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import type { AgentMessage } from "../AgentChannel.ts"
import { recordOf, recordsOf, textOf } from "../JsonMember.ts"
import { pathOf, title } from "./ToolTitle.ts"

/** Tools that ask a person something that no decision answers. */
const questions = new Set(["AskUserQuestion"])

const edits = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"])

/** What the agent is told at once, without a question to anybody. */
export const refusalOf = (request: AgentMessage): string | undefined =>
  questions.has(textOf(request, "tool_name") ?? "")
    ? "Nobody can answer questions here. Choose what is most likely meant, and say which choice you made."
    : undefined

/**
 * @param request a `can_use_tool`
 * @param cwd where the agent works
 */
export const read = (request: AgentMessage, cwd: string): McpApprovalRequest => {
  const tool = textOf(request, "tool_name") ?? "a tool"
  const input = recordOf(request, "input")
  const reason = textOf(request, "decision_reason")
  const why = reason === undefined ? {} : { reason }
  const command = textOf(input, "command")
  if (command !== undefined && !tool.startsWith("mcp__")) return commandOf(tool, command, input, cwd, why)
  const path = pathOf(input)
  if (edits.has(tool) && path !== undefined) {
    return { kind: "file-change", message: `Claude Code wants to write \`${path}\``, paths: [path], ...why }
  }
  return { kind: "tool", message: `Claude Code wants to use ${title(tool, input)}`, tool, input, ...why }
}

/** To leave the sandbox is more than a command: whoever allows a command has not allowed that. */
const commandOf = (
  tool: string,
  command: string,
  { command: _, description, ...rest }: AgentMessage,
  cwd: string,
  why: { readonly reason?: string },
): McpApprovalRequest => {
  const isOutside = isSet(rest["dangerouslyDisableSandbox"])
  const how = [
    tool === "Bash" ? "" : ` with ${tool}`,
    isOutside ? " outside the sandbox" : "",
    isSet(rest["run_in_background"]) ? " in the background" : "",
  ]
  return {
    kind: isOutside ? "permission" : "command",
    message: `Claude Code wants to run \`${command}\`${how.join("")}`,
    command,
    cwd,
    ...(tool === "Bash" ? {} : { tool }),
    ...(Object.keys(rest).length === 0 ? {} : { input: rest }),
    ...(typeof description === "string" ? { reason: description } : why),
  }
}

/** Models also write a word for it. */
const isSet = (value: unknown): boolean => value !== undefined && value !== false && value !== "false"

/** What the agent is told. */
export const write = (request: AgentMessage, decision: McpApprovalDecision): object =>
  decision._tag === "Decline"
    ? { behavior: "deny", message: decision.reason === "" ? "The user declined." : decision.reason }
    : {
        behavior: "allow",
        updatedInput: recordOf(request, "input"),
        ...(decision._tag === "ApproveForSession" ? { updatedPermissions: forSession(request) } : {}),
      }

/**
 * What approving for the session adds, narrowest first: a rule for this very use, else what Claude Code suggests for
 * the session. A suggested rule would go to a file of the project and stay; it is turned into one for the session.
 */
const forSession = (request: AgentMessage): ReadonlyArray<object> => {
  const suggestions = recordsOf(request, "permission_suggestions")
  const rules = suggestions.filter(({ behavior, type }) => type === "addRules" && behavior === "allow")
  return rules.length > 0
    ? rules.map((rule) => ({ ...rule, destination: "session" }))
    : suggestions.filter(({ destination }) => destination === "session")
}
