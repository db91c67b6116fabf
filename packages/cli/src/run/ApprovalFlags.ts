/**
 * Approval rules of the command line.
 */
import * as McpApproval from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import { quote } from "@zain/process/ShellQuote"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ChangedFiles from "./ChangedFiles.ts"
import type { Asked } from "./RunOptions.ts"

type Rules = ReadonlyArray<McpApproval.McpApprovalRule>

/**
 * Makes the rules of all options except directories.
 *
 * @returns the rules, or fails with one sentence on an invalid expression
 */
export const rules = ({
  approveCommand,
  approveCommandMatching,
  approveTool,
}: Pick<Asked, "approveCommand" | "approveCommandMatching" | "approveTool">): Result.Result<Rules, string> =>
  Result.gen(function* () {
    const matching: Array<McpApproval.McpApprovalRule> = []
    for (const source of approveCommandMatching)
      matching.push({ command: yield* expression(source), answer: "approve" })
    return [
      ...approveCommand.map((command): McpApproval.McpApprovalRule => ({ command, answer: "approve" })),
      ...matching,
      ...approveTool.map((tool): McpApproval.McpApprovalRule => ({ kind: "tool", tool, answer: "approve" })),
    ]
  })

/**
 * Makes the policy of the options.
 *
 * @param directories whose files may be changed
 * @param others decides other requests; without `ask` they are declined
 */
export const policy = (
  rules: Rules,
  directories: ReadonlyArray<string>,
  others: Pick<McpApproval.Options, "ask" | "deadline" | "log">,
): McpApproval.McpApprovalPolicy => {
  const rest = McpApproval.make({ ...others, rules })
  if (directories.length === 0) return rest
  const isWithin = ChangedFiles.within(directories)
  const always = (answer: McpApproval.McpApprovalAnswer) =>
    McpApproval.make({ ...others, rules: [{ kind: "file-change", answer }] })
  const allowed = always("approve")
  const only = `Changes are allowed only in ${directories.join(" and ")}, except .git and the like; some of these are elsewhere.`
  const outside = others.ask === undefined ? always({ decline: only }) : rest
  return (request, asker) =>
    request.kind === "file-change"
      ? Effect.flatMap(isWithin(request, asker), (is) => (is ? allowed : outside)(request, asker))
      : rest(request, asker)
}

const expression = (source: string): Result.Result<RegExp, string> =>
  Result.try({
    try: () => new RegExp(source, "u"),
    catch: (cause) => `--approve-command-matching: ${cause instanceof Error ? cause.message : String(cause)}.`,
  })

/** The option that approves exactly this request, if one exists and its value has no invisible characters. */
export const optionFor = ({ command, kind, tool }: McpApproval.McpApprovalRequest): string | undefined => {
  const option = (name: string, value: string | undefined) =>
    value === undefined || visible(value) !== value ? undefined : `${name} ${quote(value)}`
  if (kind === "command") return option("--approve-command", command)
  if (kind === "tool") return option("--approve-tool", tool)
  return undefined
}
