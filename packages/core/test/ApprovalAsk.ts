/** Requests to a policy, and its decisions. */
import { McpApproval } from "@zain/core"
import type { McpApprovalEntry, McpApprovalRequest, McpApprovalRule, Options } from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"

export const asker = {
  provider: "test",
  sessionId: "00000000-0000-4000-8000-000000000000" as McpSessionId,
  turn: 1,
}

export const command = (line: string): McpApprovalRequest => ({
  kind: "command",
  message: "May I?",
  command: line,
  cwd: "/srv",
})

export const change = (...paths: ReadonlyArray<string>): McpApprovalRequest => ({
  kind: "file-change",
  message: "May I?",
  cwd: "/srv/project",
  paths,
})

/** The decision of a policy with these options, and its log. */
export const ask = Effect.fnUntraced(function* (options: Options, request: McpApprovalRequest = command("git status")) {
  const log: Array<McpApprovalEntry> = []
  const policy = McpApproval.make({ log: (entry) => void log.push(entry), ...options })
  const decision = yield* policy(request, asker)
  const [entry] = log
  return { decision, said: decision._tag, by: entry?.by, entry, log }
})

/** The decision if a rule made it, else what made it. */
export const byRule = (rules: ReadonlyArray<McpApprovalRule>, request: McpApprovalRequest) =>
  Effect.map(ask({ rules }, request), ({ by, said }) => (by === "rule" ? said : by))
