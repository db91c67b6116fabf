/**
 * Approvals of Codex's own MCP server. It reads a `decision` beside the `action` of MCP's elicitation, and a call whose
 * elicitation fails, or is not answered, never ends.
 *
 * @see Codex 0.153.4, approvals: measured for every kind of answer
 */
import type { McpApprovalRequest, McpFileChange } from "@zain/core/McpApproval"
import { isRecord } from "@zain/process/JsonRpc"
import type { ApprovalDialect } from "@zain/sdk-client/AgentProfile"
import * as CodexCommand from "./CodexCommand.ts"
import * as CodexPatch from "./CodexPatch.ts"

type Params = Readonly<Record<string, unknown>>

/** Every elicitation is an approval, also of an unknown kind. The model receives the reason of a decline. */
export const approvals: ApprovalDialect = {
  read: (method, params) => (method === "elicitation/create" ? request(isRecord(params) ? params : {}) : undefined),
  write: (decision) =>
    decision._tag === "Approve"
      ? { action: "accept", content: {}, decision: "approved" }
      : { action: "decline", decision: { denied: { rejection: decision._tag === "Decline" ? decision.reason : "" } } },
  callOf: (params) => (isRecord(params) ? CodexPatch.textOf(params["codex_mcp_tool_call_id"]) : undefined),
}

const request = (params: Params): McpApprovalRequest => {
  const kind = params["codex_elicitation"]
  const asked = {
    message: CodexPatch.textOf(params["message"]) ?? "Codex requests more than its sandbox allows.",
    ...optional("reason", CodexPatch.textOf(params["codex_reason"])),
  }
  if (kind === "exec-approval") {
    return {
      kind: "command",
      ...asked,
      ...optional("command", CodexCommand.inWords(params["codex_command"])),
      ...optional("cwd", CodexPatch.textOf(params["codex_cwd"])),
      sandbox: "none",
    }
  }
  if (kind === "patch-approval") {
    const changes = CodexPatch.read(params["codex_changes"])
    return {
      kind: "file-change",
      ...asked,
      paths: pathsOf(changes, CodexPatch.textOf(params["codex_grant_root"])),
      ...(changes.length === 0 ? {} : { changes }),
    }
  }
  return { kind: "permission", ...asked, input: params }
}

/** All files that would be written, and the directory that Codex may write afterwards. */
const pathsOf = (changes: ReadonlyArray<McpFileChange>, root: string | undefined): ReadonlyArray<string> => [
  ...changes.map(({ path }) => path),
  ...[...changes.map(({ movedTo }) => movedTo), root].filter((path) => path !== undefined),
]

const optional = <Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: string })
