/**
 * Rules of an approval policy: data, of which the first that matches decides.
 *
 * @see docs/decisions/0015-approvals.md
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
 * all. A rule that approves must match all of what is asked, so that nothing passes beside it; one that declines matches
 * when any part does, so that it is not passed by naming something else too.
 *
 * - `kind`: what the request is about
 * - `command`, `tool`: the whole command line, or the whole name. A `RegExp` of a rule that approves must match all of
 *   it, so that no rule for a beginning lets `git status; rm -rf .` pass; but what it leaves open, as `.*` does, stays
 *   open. One of a rule that declines may match anywhere in it. In a rule that approves, `command` asks for
 *   `kind: command` and `tool` for `kind: tool`, unless `kind` says otherwise
 * - `within`: an absolute directory, by names: links are not followed. A path is resolved against the request's `cwd`. A
 *   command that names no paths is as its `cwd`. A rule that approves matches when every path lies inside, and there is
 *   one; for a command only if the rule names the `command` too; and never a `permission`: a grant is more than its
 *   paths. A rule that declines matches when any path lies inside, or is a directory around it, or cannot be told; a
 *   `file-change` that names no path is one of these
 * - `answer`: the decision. `approve-for-session` hands what is like it to the agent: no rule is asked again for it
 *
 * **Example**
 *
 * ```ts
 * import type { McpApproval } from "@zain/core"
 *
 * const rules: ReadonlyArray<McpApproval.McpApprovalRule> = [
 *   { within: "/srv/project/.git", answer: { decline: "Leave .git alone." } },
 *   { kind: "file-change", within: "/srv/project", answer: "approve" },
 * ]
 * ```
 *
 * @see design, §5; promise 23
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
  const rules = decoded.success.map(({ answer, ...rule }) => {
    const decision = decisionOf(answer)
    return { decision, matches: decision?._tag === "Decline" ? declining(rule) : approving(rule) }
  })
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
type Conditions = Omit<McpApprovalRule, "answer">

/** A request of which all is what the rule means. */
const approving = ({ command, kind, tool, within }: Conditions): Matches => {
  const [isCommand, isTool] = [command, tool].map((wanted) => text(wanted, whole))
  const kinds =
    kind === undefined
      ? [...(command === undefined ? [] : ["command"]), ...(tool === undefined ? [] : ["tool"])]
      : [kind]
  return (request) =>
    kinds.every((wanted) => request.kind === wanted) &&
    (isCommand === undefined || isCommand(request.command)) &&
    (isTool === undefined || isTool(request.tool)) &&
    (within === undefined || isWithin(within, request, command !== undefined))
}

/** A request of which any part is, or may be. */
const declining = ({ command, kind, tool, within }: Conditions): Matches => {
  const [isCommand, isTool] = [command, tool].map((wanted) => text(wanted, anywhere))
  return (request) =>
    (kind === undefined || request.kind === kind) &&
    (isCommand === undefined || isCommand(request.command)) &&
    (isTool === undefined || isTool(request.tool)) &&
    (within === undefined || mayBeWithin(within, request))
}

const text = (wanted: string | RegExp | undefined, read: (wanted: RegExp) => RegExp) => {
  if (wanted === undefined) return undefined
  if (typeof wanted === "string") return (text: string | undefined) => text === wanted
  const expression = read(wanted)
  return (text: string | undefined) => text !== undefined && expression.test(text)
}

/** Not by the lines of a text, and with no memory of the text before. */
const whole = ({ flags, source }: RegExp) => new RegExp(`^(?:${source})$`, flags.replace(/[gmy]/g, ""))

/** Without a memory, too. */
const anywhere = ({ flags, source }: RegExp) => new RegExp(source, flags.replace(/[gy]/g, ""))

const isWithin = (directory: string, { cwd, kind, paths = [] }: McpApprovalRequest, isOfCommand: boolean): boolean => {
  if (kind === "permission") return false
  if (paths.length > 0) return paths.every((path) => DirectoryBounds.isInside(directory, path, cwd))
  return isOfCommand && cwd !== undefined && DirectoryBounds.isInside(directory, cwd, undefined)
}

const mayBeWithin = (directory: string, { cwd, kind, paths = [] }: McpApprovalRequest): boolean => {
  if (paths.length > 0) return paths.some((path) => DirectoryBounds.mayReach(directory, path, cwd))
  if (kind === "file-change") return true
  return kind === "command" && cwd !== undefined && DirectoryBounds.mayBeInside(directory, cwd, undefined)
}
