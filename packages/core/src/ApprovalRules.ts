/**
 * Rules of an approval policy: data, of which the first that matches decides.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"
import * as DirectoryBounds from "./DirectoryBounds.ts"
import * as SchemaProblem from "./SchemaProblem.ts"

/** A decision, in a word or as a value. */
export type McpApprovalAnswer =
  | McpApprovalDecision
  | "approve"
  | "approve-for-session"
  | "decline"
  | { readonly decline: string }

/**
 * What a rule asks of a request, and its answer. Every condition that is there must match; a rule without any matches
 * all.
 *
 * - `kind`: what the request is about
 * - `command`, `tool`: the whole command line, or the whole name. A `RegExp` must match all of it, so that no rule for a
 *   beginning lets `git status; rm -rf .` pass; but what it leaves open, as `.*` does, stays open. `command` asks for
 *   `kind: command`, `tool` for `kind: tool`, unless `kind` says otherwise
 * - `within`: an absolute directory that every path of the request is inside, resolved against its `cwd`. A command that
 *   names no paths is as its `cwd`, and only for a rule that names the `command` too. Links are not followed. It matches
 *   no `permission`: a grant is more than its paths
 * - `answer`: the decision. `approve-for-session` hands what is like it to the agent: no rule is asked again for it
 */
export interface McpApprovalRule {
  readonly kind?: McpApprovalRequest["kind"]
  readonly command?: string | RegExp
  readonly tool?: string | RegExp
  readonly within?: string
  readonly answer: McpApprovalAnswer
}

const Text = Schema.optionalKey(Schema.Union([Schema.String, Schema.RegExp]))

/** An unknown key would make a rule match more than was meant. */
const Rules = Schema.Array(
  Schema.Struct({
    kind: Schema.optionalKey(McpApprovalRequest.fields.kind),
    command: Text,
    tool: Text,
    within: Schema.optionalKey(Schema.String.check(Schema.makeFilter(DirectoryBounds.isAbsolute))),
    answer: Schema.Unknown.check(Schema.makeFilter((answer) => decisionOf(answer) !== undefined)),
  }),
)

const decode = Schema.decodeUnknownResult(Rules, { onExcessProperty: "error" })

/** What the rules say of a request, or `undefined`. */
export type ApprovalRules = (request: McpApprovalRequest) => McpApprovalDecision | undefined

/**
 * @param input the rules, in their order
 * @returns what decides by them, or the path of what is wrong with them
 */
export const parse = (input: unknown): Result.Result<ApprovalRules, string> => {
  const decoded = decode(input)
  if (Result.isFailure(decoded)) return Result.fail(SchemaProblem.describe(decoded.failure, ["rules"]))
  const rules = decoded.success.map(({ answer, ...rule }) => ({ matches: matcher(rule), decision: decisionOf(answer) }))
  return Result.succeed((request) => rules.find(({ matches }) => matches(request))?.decision)
}

/** The decision that an answer means, or `undefined` when it means none. */
export const decisionOf = (answer: unknown): McpApprovalDecision | undefined => {
  if (answer === "approve") return { _tag: "Approve" }
  if (answer === "approve-for-session") return { _tag: "ApproveForSession" }
  if (answer === "decline") return { _tag: "Decline", reason: declined }
  if (typeof answer !== "object" || answer === null) return undefined
  const { _tag, decline, reason } = answer as Readonly<Record<string, unknown>>
  if (_tag === "Approve" || _tag === "ApproveForSession") return { _tag }
  const why = _tag === "Decline" ? reason : _tag === undefined ? decline : undefined
  return typeof why === "string" ? { _tag: "Decline", reason: why } : undefined
}

/** What an agent is told when nobody says why. */
export const declined = "Declined by the policy of this session: nothing may be run or changed beyond its sandbox."

type Matches = (request: McpApprovalRequest) => boolean

const matcher = ({ command, kind, tool, within }: Omit<McpApprovalRule, "answer">): Matches => {
  const [isCommand, isTool] = [command, tool].map(whole)
  const kinds = kindsOf({ command, kind, tool })
  return (request) =>
    kinds.every((wanted) => request.kind === wanted) &&
    (isCommand === undefined || isCommand(request.command)) &&
    (isTool === undefined || isTool(request.tool)) &&
    (within === undefined || isWithin(within, request, command !== undefined))
}

/** The kinds that a request must be of, all of them. */
const kindsOf = ({
  command,
  kind,
  tool,
}: { readonly [Key in "command" | "kind" | "tool"]: McpApprovalRule[Key] | undefined }) => {
  if (kind !== undefined) return [kind]
  return [...(command === undefined ? [] : ["command"]), ...(tool === undefined ? [] : ["tool"])]
}

const whole = (wanted: string | RegExp | undefined) => {
  if (wanted === undefined) return undefined
  if (typeof wanted === "string") return (text: string | undefined) => text === wanted
  // Not by the lines of a text, and with no memory of the text before.
  const expression = new RegExp(`^(?:${wanted.source})$`, wanted.flags.replace(/[gmy]/g, ""))
  return (text: string | undefined) => text !== undefined && expression.test(text)
}

const isWithin = (directory: string, { cwd, kind, paths = [] }: McpApprovalRequest, isOfCommand: boolean): boolean => {
  if (kind === "permission") return false
  if (paths.length > 0) return paths.every((path) => DirectoryBounds.isInside(directory, path, cwd))
  return isOfCommand && cwd !== undefined && DirectoryBounds.isInside(directory, cwd, undefined)
}
