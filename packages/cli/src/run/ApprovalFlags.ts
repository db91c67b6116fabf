/**
 * What may be done unasked, by the options of the command line.
 */
import { realpathSync } from "node:fs"
import type { McpApprovalRequest, McpApprovalRule } from "@zain/core/McpApproval"
import * as Result from "effect/Result"
import type { Asked } from "./RunCommand.ts"

/**
 * The rules that the options are.
 *
 * @returns the rules, or one sentence on an expression that is none
 */
export const rules = ({
  approveChanges,
  approveCommand,
  approveCommandMatching,
  approveTool,
}: Pick<Asked, "approveChanges" | "approveCommand" | "approveCommandMatching" | "approveTool">): Result.Result<
  ReadonlyArray<McpApprovalRule>,
  string
> =>
  Result.gen(function* () {
    const matching: Array<McpApprovalRule> = []
    for (const source of approveCommandMatching)
      matching.push({ command: yield* expression(source), answer: "approve" })
    return [
      ...approveCommand.map((command): McpApprovalRule => ({ command, answer: "approve" })),
      ...matching,
      ...approveChanges
        .flatMap(namesOf)
        .map((within): McpApprovalRule => ({ kind: "file-change", within, answer: "approve" })),
      ...approveTool.map((tool): McpApprovalRule => ({ kind: "tool", tool, answer: "approve" })),
    ]
  })

const expression = (source: string): Result.Result<RegExp, string> =>
  Result.try({
    try: () => new RegExp(source, "u"),
    catch: (cause) => `--approve-command-matching: ${cause instanceof Error ? cause.message : String(cause)}.`,
  })

/** Agents may know a directory by its own name, where it was given by a link. */
const namesOf = (directory: string): ReadonlyArray<string> => {
  try {
    return [...new Set([directory, realpathSync(directory)])]
  } catch {
    return [directory]
  }
}

/** The option that would allow what is asked, if there is one that allows no more. */
export const optionFor = ({ command, kind, tool }: McpApprovalRequest): string | undefined => {
  if (kind === "command" && command !== undefined) return `--approve-command ${quoted(command)}`
  if (kind === "tool" && tool !== undefined) return `--approve-tool ${quoted(tool)}`
  return undefined
}

/** As one would type it into a shell. */
const quoted = (word: string): string => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
