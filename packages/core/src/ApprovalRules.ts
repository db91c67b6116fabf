/**
 * The rules of an approval policy: data, of which the first that matches decides.
 *
 * @see docs/decisions/0015-approvals.md
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answer, McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"
import * as DirectoryBounds from "./DirectoryBounds.ts"
import * as RuleExpressions from "./expressions/RuleExpressions.ts"
import * as QuestionAnswers from "./QuestionAnswers.ts"
import * as SchemaProblem from "./SchemaProblem.ts"

/**
 * A decision in short: a word, `{ decline: reason }`, or a whole `McpApprovalDecision`. `approve-for-session` approves
 * the same use until the session ends; `decline` declines with a reason of Zain's.
 */
export type McpApprovalAnswer =
  | Exclude<McpApprovalDecision, Answer>
  | "approve"
  | "approve-for-session"
  | "decline"
  | {
      /** Declines with this reason, which the agent's model reads where the agent accepts one. */
      readonly decline: string
    }

/**
 * What a callback returns for a request with `kind: "question"`: the answers by the `id` of their question, each a text or
 * a list of them.
 */
export type McpQuestionAnswers =
  | Answer
  | {
      /** The answers: labels of options, or own words. A question may be left out. */
      readonly answers: Readonly<Record<string, string | ReadonlyArray<string>>>
    }

/**
 * Conditions on a request, and the answer to requests that match all of them; a rule without conditions matches every
 * request. The first rule that matches decides: put those that decline first.
 *
 * No rule decides about a request with `kind: "question"`. A rule that approves must match the whole request. A rule that declines matches if any part of the request does, so
 * that naming something else too does not evade it.
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
 * @see docs/concepts/approvals.md; docs/internals/promises.md, 23
 */
export interface McpApprovalRule {
  /**
   * Matches requests of this kind. If omitted, every kind; but a rule that approves by `command` or `tool` matches only
   * that kind.
   */
  readonly kind?: (typeof kinds)[number]
  /**
   * Matches the command line: a string equals all of it. A `RegExp` of a rule that approves must match all of it too,
   * so that `/ls/` does not approve `ls; rm -rf .`, and a line break only where it names one, as `\n` does. But `.+`
   * matches anything: `/ls .+/` does approve `ls .; rm -rf .`. A `RegExp` of a rule that declines may match anywhere. A
   * rule that approves matches only `kind: "command"`, unless it has another `kind`.
   *
   * A `RegExp` that can take exponential time makes the whole policy decline, and so do expressions that together take
   * more than 50 ms of CPU for a request.
   *
   * @see docs/guides/approve-commands.md
   */
  readonly command?: string | RegExp
  /**
   * Matches the agent's own name of the tool, such as `WebSearch`. A string equals all of it; a `RegExp` must match all
   * of it in a rule that approves, and may match anywhere in a rule that declines. A rule that approves matches only
   * `kind: "tool"`, unless it has another `kind`.
   */
  readonly tool?: string | RegExp
  /**
   * Matches requests whose `cwd` is this absolute directory, compared by name; not its subdirectories. A rule that
   * declines matches requests without `cwd` too.
   */
  readonly cwd?: string
  /**
   * Matches requests whose paths lie in this absolute directory, compared by name: links are not followed. Relative
   * paths are relative to the request's `cwd`; a command without paths counts as its `cwd`.
   *
   * A rule that approves matches if there is a path and all lie inside; a command only together with `command`, a tool
   * only together with `tool`, and never a `permission`, which grants more than its paths. Paths in `.git`, `.codex`,
   * `.claude`, `.agents`, `.mcp.json`, `.husky`, `.githooks`, `.vscode` and `.zain` are excluded, as these configure
   * programs of the project, unless `within` lies in one.
   *
   * A rule that declines matches if any path lies inside, contains the directory, or is not known: so is a
   * `file-change` or `permission` without paths, and a command without `cwd`.
   */
  readonly within?: string
  /** The decision, such as `"approve"` or `{ decline: "Leave .git alone." }`. */
  readonly answer: McpApprovalAnswer
}

/** The kinds of requests that rules decide about. */
const kinds = ["command", "file-change", "permission", "tool"] as const

const Text = Schema.optionalKey(Schema.Union([Schema.String, Schema.RegExp]))
const answers = "approve, approve-for-session, decline or { decline: reason }"
const Directory = Schema.optionalKey(
  Schema.String.check(Schema.makeFilter(DirectoryBounds.isAbsolute, { expected: "the absolute path of a directory" })),
)

/** An unknown key is an error: a misspelled condition would make the rule match more. */
const Rules = Schema.Array(
  Schema.Struct({
    kind: Schema.optionalKey(Schema.Literals(kinds)),
    command: Text,
    tool: Text,
    cwd: Directory,
    within: Directory,
    answer: Schema.Unknown.check(
      Schema.makeFilter((answer) => ![undefined, "Answer"].includes(decisionOf(answer)?._tag), { expected: answers }),
    ),
  }),
)

const decode = Schema.decodeUnknownResult(Rules, { onExcessProperty: "error" })

/**
 * The decision of the rules, `undefined` if none matches. Fails with one sentence where an expression can take
 * exponential time, or took too long.
 */
export type ApprovalRules = (request: McpApprovalRequest) => Effect.Effect<McpApprovalDecision | undefined, string>

/**
 * @param input the rules, in their order
 * @returns the rules as a function, or the path of what is wrong with them
 */
export const parse = (input: unknown): Result.Result<ApprovalRules, string> => {
  const decoded = decode(input)
  if (Result.isFailure(decoded)) return Result.fail(SchemaProblem.explain(decoded.failure, ["rules"]))
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
    if (matches === undefined) return yield* Effect.fail(`its expressions took longer than ${RuleExpressions.limit} ms`)
    return new Map(asked.map(([one], at) => [one, matches[at] === true]))
  })
  return Result.succeed((request) =>
    Effect.map(matched(request), (matched) => rules.find(({ matches }) => matches(request, matched))?.decision),
  )
}

/** The conditions that may be expressions. */
const texts = ["command", "tool"] as const

/**
 * Copies each expression, as rules may share one and match it differently: the copy is the key of what it is prepared
 * to.
 */
const copies = (given: Pick<McpApprovalRule, "command" | "tool">): Pick<McpApprovalRule, "command" | "tool"> =>
  Object.fromEntries(
    texts.flatMap((name) => {
      const expression = given[name]
      return expression instanceof RegExp ? [[name, new RegExp(expression.source, expression.flags)] as const] : []
    }),
  )

/** The decision of an answer; `undefined` if the answer is malformed. */
export const decisionOf = (answer: unknown): McpApprovalDecision | undefined => {
  if (answer === "approve") return { _tag: "Approve" }
  if (answer === "approve-for-session") return { _tag: "ApproveForSession" }
  if (answer === "decline") return { _tag: "Decline", reason: declined }
  if (typeof answer !== "object" || answer === null) return undefined
  const { _tag, answers, decline, reason } = answer as Readonly<Record<string, unknown>>
  if (_tag === "Approve" || _tag === "ApproveForSession") return { _tag }
  if (_tag === "Answer" || (_tag === undefined && answers !== undefined)) return QuestionAnswers.read(answers)
  const why = _tag === "Decline" ? reason : _tag === undefined ? decline : undefined
  return typeof why === "string" ? { _tag: "Decline", reason: why } : undefined
}

/** The reason of a decline without one of the host's. The agent's model reads it. */
export const declined = "Declined by the policy of this session. Continue without it."

/** Which expressions match a request. */
type Matched = ReadonlyMap<RegExp, boolean>
type Matches = (request: McpApprovalRequest, matched: Matched) => boolean
type Conditions = Omit<McpApprovalRule, "answer">

/** Matches a request of which every part matches. */
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

/** Matches a request of which any part matches, or is not known. */
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

/** A command or tool does more than write its files, so a rule with `within` alone approves neither. */
const isWithin = (
  directory: string,
  { cwd, kind, paths = [] }: McpApprovalRequest,
  named: { readonly command: unknown; readonly tool: unknown },
): boolean => {
  if (kind === "permission" || kind === "question" || (kind !== "file-change" && named[kind] === undefined))
    return false
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
