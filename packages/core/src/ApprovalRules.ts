/**
 * Rules of an approval policy: data, of which the first that matches decides.
 *
 * @see docs/decisions/0015-approvals.md
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"
import * as DirectoryBounds from "./DirectoryBounds.ts"
import * as RuleExpressions from "./expressions/RuleExpressions.ts"
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
 *   it, so that no rule for a beginning lets `ls; rm -rf .` pass; but what it leaves open, as `.*` does, stays
 *   open, and a line break matches only where it names one, as `\\n` does. One of a rule that declines may match anywhere
 *   in it. In a rule that approves, `command` asks for `kind: command` and `tool` for `kind: tool`, unless `kind` says
 *   otherwise. One that is found to take exponential time is refused; all of them together have 50 ms of the processor for
 *   a request
 * - `cwd`: an absolute directory, by names, and no other, for what runs there. A rule that declines matches also a request
 *   that names none
 * - `within`: an absolute directory, by names: links are not followed. A path is resolved against the request's `cwd`. A
 *   command that names no paths is as its `cwd`. A rule that approves matches when every path lies inside, and there is
 *   one; for a command only if the rule names the `command` too, for a tool only if it names the `tool`; and never a
 *   `permission`: a grant is more than its paths. What programs of the project's are set up by is left out: `.git`, `.codex`, `.claude`, `.agents`, `.mcp.json`,
 *   `.husky`, `.githooks`, `.vscode` and `.zain`, unless `within` lies in it. A rule that declines matches when any path
 *   lies inside, or is a directory around it, or cannot be told: a `file-change` or a `permission` that does not say its
 *   paths, and a command without `cwd`, are of these
 * - `answer`: the decision. `approve-for-session` counts for the same use until the session ends
 *
 * @example
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
  readonly cwd?: string
  readonly within?: string
  readonly answer: McpApprovalAnswer
}

const Text = Schema.optionalKey(Schema.Union([Schema.String, Schema.RegExp]))
const Directory = Schema.optionalKey(Schema.String.check(Schema.makeFilter(DirectoryBounds.isAbsolute)))

/** An unknown key would make a rule match more than was meant. */
const Rules = Schema.Array(
  Schema.Struct({
    kind: Schema.optionalKey(McpApprovalRequest.fields.kind),
    command: Text,
    tool: Text,
    cwd: Directory,
    within: Directory,
    answer: Schema.Unknown.check(Schema.makeFilter((answer) => decisionOf(answer) !== undefined)),
  }),
)

const decode = Schema.decodeUnknownResult(Rules, { onExcessProperty: "error" })

/**
 * What the rules say of a request, or `undefined`. Fails with one sentence where that cannot be told: an expression can
 * take exponential time, or took too long.
 */
export type ApprovalRules = (request: McpApprovalRequest) => Effect.Effect<McpApprovalDecision | undefined, string>

/**
 * @param input the rules, in their order
 * @returns what decides by them, or the path of what is wrong with them
 */
export const parse = (input: unknown): Result.Result<ApprovalRules, string> => {
  const decoded = decode(input)
  if (Result.isFailure(decoded)) return Result.fail(SchemaProblem.describe(decoded.failure, ["rules"]))
  const wanted: Array<RuleExpressions.Wanted> = []
  const rules = decoded.success.map(({ answer, ...given }, at) => {
    const decision = decisionOf(answer)
    const isWhole = decision?._tag !== "Decline"
    const conditions = { ...given, ...copies(given) }
    for (const name of texts) {
      const expression = conditions[name]
      if (expression instanceof RegExp) wanted.push({ path: `rules.${at}.${name}`, expression, isWhole })
    }
    return { conditions, decision, matches: isWhole ? approving(conditions) : declining(conditions) }
  })
  let prepared: Result.Result<ReadonlyMap<RegExp, RegExp>, string> | undefined
  const prepare = Effect.suspend(() =>
    prepared === undefined
      ? Effect.tap(RuleExpressions.prepare(wanted), (one) => Effect.sync(() => (prepared = one)))
      : Effect.succeed(prepared),
  )
  /** Which expressions match their text. */
  const matched = Effect.fnUntraced(function* (request: McpApprovalRequest): Effect.fn.Return<Matched, string> {
    const asked = rules.flatMap(({ conditions }) =>
      texts.flatMap((name) => {
        const [expression, text] = [conditions[name], request[name]]
        return expression instanceof RegExp && text !== undefined ? [[expression, text] as const] : []
      }),
    )
    if (wanted.length === 0) return new Map()
    const expressions = yield* Effect.fromResult(yield* prepare)
    if (asked.length === 0) return new Map()
    const matches = yield* RuleExpressions.test(asked.map(([one, text]) => [expressions.get(one) ?? one, text]))
    if (matches === undefined) return yield* Effect.fail(`Its expressions took longer than ${RuleExpressions.limit} ms`)
    return new Map(asked.map(([one], at) => [one, matches[at] === true]))
  })
  return Result.succeed((request) =>
    Effect.map(matched(request), (matched) => rules.find(({ matches }) => matches(request, matched))?.decision),
  )
}

/** What of a rule may be an expression. */
const texts = ["command", "tool"] as const

/** Rules may share an expression, and mean it in different ways. */
const copies = (given: Pick<McpApprovalRule, "command" | "tool">): Pick<McpApprovalRule, "command" | "tool"> =>
  Object.fromEntries(
    texts.flatMap((name) => {
      const expression = given[name]
      return expression instanceof RegExp ? [[name, new RegExp(expression.source, expression.flags)] as const] : []
    }),
  )

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

/** Which expressions match a request. */
type Matched = ReadonlyMap<RegExp, boolean>
type Matches = (request: McpApprovalRequest, matched: Matched) => boolean
type Conditions = Omit<McpApprovalRule, "answer">

/** A request of which all is what the rule means. */
const approving = ({ command, cwd, kind, tool, within }: Conditions): Matches => {
  const kinds =
    kind === undefined
      ? [...(command === undefined ? [] : ["command"]), ...(tool === undefined ? [] : ["tool"])]
      : [kind]
  return (request, matched) =>
    kinds.every((wanted) => request.kind === wanted) &&
    isText(command, request.command, matched) &&
    isText(tool, request.tool, matched) &&
    (cwd === undefined || (request.cwd !== undefined && DirectoryBounds.isSame(cwd, request.cwd))) &&
    (within === undefined || isWithin(within, request, { command, tool }))
}

/** A request of which any part is, or may be. */
const declining =
  ({ command, cwd, kind, tool, within }: Conditions): Matches =>
  (request, matched) =>
    (kind === undefined || request.kind === kind) &&
    isText(command, request.command, matched) &&
    isText(tool, request.tool, matched) &&
    (cwd === undefined || request.cwd === undefined || DirectoryBounds.mayBeSame(cwd, request.cwd)) &&
    (within === undefined || mayBeWithin(within, request))

const isText = (wanted: string | RegExp | undefined, text: string | undefined, matched: Matched): boolean =>
  wanted === undefined ||
  (text !== undefined && (typeof wanted === "string" ? text === wanted : matched.get(wanted) === true))

/** What a command or a tool does is more than where its files are: a rule for a directory alone allows neither. */
const isWithin = (
  directory: string,
  { cwd, kind, paths = [] }: McpApprovalRequest,
  named: { readonly command: unknown; readonly tool: unknown },
): boolean => {
  if (kind === "permission" || (kind !== "file-change" && named[kind] === undefined)) return false
  // Permission to write to a directory covers all below it.
  const isFile = (path: string) => kind !== "file-change" || !DirectoryBounds.isInside(path, directory, undefined)
  const lies = (path: string, from: string | undefined) =>
    DirectoryBounds.isInside(directory, path, from) && !DirectoryBounds.reachesSetup(directory, path, from)
  const isThere = kind === "command" ? cwd !== undefined && lies(cwd, undefined) : paths.length > 0
  return isThere && paths.every((path) => lies(path, cwd) && isFile(path))
}

const mayBeWithin = (directory: string, { cwd, kind, paths }: McpApprovalRequest): boolean => {
  if (paths?.some((path) => DirectoryBounds.mayReach(directory, path, cwd)) === true) return true
  if (kind === "file-change") return paths === undefined || paths.length === 0
  if (kind === "permission") return paths === undefined
  return kind === "command" && (cwd === undefined || DirectoryBounds.mayBeInside(directory, cwd, undefined))
}
