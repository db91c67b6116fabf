/**
 * Approvals that Claude Code requests, and the responses to them.
 *
 * @see Claude Code 2.1.332, `--permission-prompt-tool=stdio`: `can_use_tool`, and `elicitation` of an MCP server
 */
import { resolve } from "node:path"
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import * as AgentQuestions from "@zain/agent-server/AgentQuestions"
import { recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import type { Question } from "@zain/agent-server/ServedAgent"
import { pathsIn } from "@zain/agent-server/ToolPaths"
import { dismissed, type McpApprovalReply, type McpApprovalRequest } from "@zain/core/McpApproval"
import { editsOf } from "./ClaudeCodeEdits.ts"
import { title } from "./ToolTitle.ts"

/** Where an approved action runs. */
export interface ApprovalPlace {
  /** Directory that the agent works in. */
  readonly cwd: string
  /** Whether Claude Code's settings may put commands in a sandbox. */
  readonly mayBeSandboxed: boolean
}

const edits = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"])

/** Why a request is declined without the client. */
export const refusalOf = (request: AgentMessage): string | undefined =>
  isAsking(request) && modelQuestions(request) === undefined ? dismissed : undefined

/** Whether the model asks its user, by a tool. */
const isAsking = (request: AgentMessage): boolean => request["tool_name"] === "AskUserQuestion"

/** The questions of the model; `undefined` if they cannot be asked. */
const modelQuestions = (request: AgentMessage): AgentQuestions.Asked | undefined =>
  AgentQuestions.make(
    "Claude Code",
    recordsOf(recordOf(request, "input"), "questions").map((question) => ({
      header: textOf(question, "header"),
      text: textOf(question, "question") ?? "",
      options: AgentQuestions.optionsOf(question),
      isMultiple: question["multiSelect"] === true,
    })),
  )

/** The answers by the texts of their questions, as Claude Code reads them. */
const answersIn = (request: AgentMessage, decision: McpApprovalReply): object => {
  const asked = modelQuestions(request)
  const answers = (asked && AgentQuestions.answersTo(asked, decision)) ?? []
  const texts = recordsOf(recordOf(request, "input"), "questions").map((question) => textOf(question, "question") ?? "")
  return Object.fromEntries(
    texts.flatMap((text, at) => (answers[at]?.length ? [[text, answers[at].join(", ")] as const] : [])),
  )
}

/** The form of an MCP server; `undefined` for one that cannot be asked. */
const formOf = (request: AgentMessage): AgentQuestions.Form | undefined =>
  request["subtype"] === "elicitation" && (request["mode"] ?? "form") === "form"
    ? AgentQuestions.form(
        textOf(request, "mcp_server_name") ?? "",
        textOf(request, "message") ?? "",
        recordOf(request, "requested_schema"),
      )
    : undefined

/** Whether a control request is one for an approval, or with questions. */
export const isOne = (request: AgentMessage): boolean =>
  request["subtype"] === "can_use_tool" || formOf(request) !== undefined

/**
 * Reads a request.
 *
 * @param request one for which `isOne` is true and `refusalOf` gives none
 */
export const read = (request: AgentMessage, place: ApprovalPlace): Question => {
  const asked = isAsking(request) ? modelQuestions(request) : formOf(request)?.request
  return asked === undefined ? approvalOf(request, place) : { request: asked }
}

const approvalOf = (request: AgentMessage, place: ApprovalPlace): Question => {
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
export const write = (request: AgentMessage, decision: McpApprovalReply): object => {
  const form = formOf(request)
  if (form !== undefined) return form.answer(decision)
  if (decision._tag === "Decline") {
    return { behavior: "deny", message: decision.reason === "" ? "The user declined." : decision.reason }
  }
  const input = recordOf(request, "input")
  const answers = isAsking(request) ? { answers: answersIn(request, decision) } : {}
  return { behavior: "allow", updatedInput: { ...input, ...answers } }
}
