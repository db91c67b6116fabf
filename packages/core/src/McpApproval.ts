/**
 * Who decides what agents may do: one policy for all of them, made of rules and a callback.
 *
 * @see docs/concepts/approvals.md; docs/internals/promises.md, 7 and 23
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answer, Decline, McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"
import * as ApprovalRules from "./ApprovalRules.ts"
import type { McpApprovalReply } from "./ApprovalUse.ts"
import { type Eventually, settle, unattached } from "./HostCallback.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import * as PositiveDuration from "./PositiveDuration.ts"
import * as QuestionAnswers from "./QuestionAnswers.ts"
import * as SchemaProblem from "./SchemaProblem.ts"

export { McpApprovalDecision, McpApprovalRequest, McpFileChange, McpQuestion } from "./ApprovalRequest.ts"
export type { McpApprovalAnswer, McpApprovalRule, McpQuestionAnswers } from "./ApprovalRules.ts"
export { type McpApprovalReply, reply } from "./ApprovalUse.ts"
export { dismissed } from "./QuestionAnswers.ts"

/** The agent that asks for approval, and where it asks. */
export interface McpApprovalAsker {
  /** The name of the agent, such as `"codex"`. */
  readonly provider: McpProvider
  /** The id of the session whose turn waits for the decision. */
  readonly sessionId: McpSessionId
  /** The turn in which the agent asks; turns of a session count from 1. */
  readonly turn: number
  /** `true` if the same use was approved for the session before; absent otherwise. */
  readonly isApproved?: boolean
  /**
   * `true` if the request is a call of one of the session's own `tools`; absent otherwise. The session runtime sets it from
   * the configuration of the session: no message of an agent can.
   */
  readonly own?: boolean
}

/**
 * Decides whether an agent may act. The agent's turn waits for the decision, and `idleTimeout` does not run meanwhile:
 * a policy of your own needs a time limit of its own; one that `McpApproval.make` returns has its `deadline`. If the
 * turn ends before the decision, the policy is interrupted. If the policy throws, the request is declined.
 *
 * @param request what the agent asks to do; decide by its `kind`, `command` and `paths`, not by its `message`
 * @param asker the agent, its session and turn, and whether the same use was approved for the session before
 *
 * @see docs/internals/promises.md, 23
 */
export type McpApprovalPolicy = (
  request: McpApprovalRequest,
  asker: McpApprovalAsker,
) => Effect.Effect<McpApprovalDecision>

/**
 * The decision that approves this request only: the policy decides again about the next one, also for the same use.
 */
export const approve: Exclude<McpApprovalReply, Answer | Decline> = { _tag: "Approve" }

/**
 * Approves this request, and the same use until the session ends. For a `command` that is the same command line in the
 * same directory with the same `input` but its timeout, for a `tool` the same tool with the same arguments, for a
 * `file-change` the same tool and files, whatever is written, for a `permission` the same `message`. Zain remembers the
 * use; the agent receives `Approve` for each request.
 */
export const approveForSession: Exclude<McpApprovalDecision, McpApprovalReply> = { _tag: "ApproveForSession" }

/**
 * Makes a decision that declines the request, with a reason for the agent's model.
 *
 * @param reason why the request is declined, as the agent's model reads it, where the agent accepts a reason; by
 *   default that the policy of the session declined it
 */
export const decline = (reason: string = ApprovalRules.declined): Decline => ({ _tag: "Decline", reason })

/**
 * The service of Effect for the policy: adapters made where it is provided use it, unless they have `approvals` of
 * their own. By default it declines everything.
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpApproval } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const readers = McpApproval.make({ rules: [{ command: /ls( -la?)?/, cwd: "/srv/project", answer: "approve" }] })
 * const client = InMemoryMcpClient.make().pipe(Effect.provideService(McpApproval.McpApproval, readers))
 * ```
 *
 * @see docs/concepts/approvals.md: the default policy is to decline everything
 */
export const McpApproval = Context.Reference<McpApprovalPolicy>("@zain/core/McpApproval", {
  defaultValue: () => make(),
})

/**
 * The policy of one session: an `openSession` where it is provided uses it instead of the policy of its client, also of an
 * adapter with `approvals`. With promises, pass `approvals` to `openSession`.
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpApproval, type McpClientAdapter } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const reviewer = McpApproval.make({ rules: [{ kind: "file-change", answer: "decline" }] })
 * const open = (client: McpClientAdapter) =>
 *   Effect.provideService(client.openSession(InMemoryMcpClient.config), McpApproval.McpSessionApproval, reviewer)
 * ```
 */
export const McpSessionApproval = Context.Reference<McpApprovalPolicy | undefined>("@zain/core/McpSessionApproval", {
  defaultValue: () => undefined,
})

/** One entry of the audit log: a request, its decision, and what made it. */
export interface McpApprovalEntry extends McpApprovalAsker {
  /** When the agent asked, in milliseconds since 1970. */
  readonly at: number
  /** What the agent asked to do, as the policy received it; not shortened. */
  readonly request: McpApprovalRequest
  /**
   * What the policy decided, without the answers to secret questions; the agent receives `ApproveForSession` as
   * `Approve`. A callback that failed or timed out
   * is a `Decline` whose reason says so.
   */
  readonly decision: McpApprovalDecision
  /**
   * What decided: a `rule`, an earlier approval for the `session`, `own` (a call of the session's own tool, which no rule
   * decided), or `ask`; or what declined: `default` (no rule, and
   * no `ask`), `deadline` (`ask` timed out), `failure` (`ask` failed or returned no decision, or the policy is
   * invalid), `interrupted` (the turn ended first).
   */
  readonly by: "rule" | "session" | "own" | "ask" | "deadline" | "default" | "failure" | "interrupted"
  /** From `at` to the decision, in milliseconds: with `ask`, the wait for its answer, which ends at the `deadline`. */
  readonly tookMillis: number
}

/** A part of the last parameter of `ask`: a signal that its answer is not needed any more. */
export interface Waiting {
  /** Aborts when the answer is not needed any more: at the `deadline`, and when the turn ends. Close a dialog then. */
  readonly signal: AbortSignal
}

/** The options of `McpApproval.make`; without any, every request is declined. */
export interface Options {
  /**
   * Rules that decide without `ask`, evaluated in order: the first that matches decides. Put those that decline first.
   * None by default.
   */
  readonly rules?: ReadonlyArray<ApprovalRules.McpApprovalRule>
  /**
   * Decides requests that no rule matches and that were not approved for the session before. Calls of the session's own
   * `tools` do not reach it. It returns `"approve"`,
   * `"approve-for-session"`, `"decline"` or `{ decline: reason }`, or a promise or Effect of one; for `kind: "question"`
   * `{ answers }` by the `id` of its `questions`, or one of the last two. Decide by `kind`, `command` and `paths`, not by
   * `message`. A callback that throws, or returns no decision about this kind, declines. If omitted, such requests are
   * declined.
   *
   * @param request what the agent asks to do; decide by its `kind`, `command` and `paths`, not by its `message`
   * @param asker the agent, its session and turn, and a `signal` that aborts when the answer is not needed any more
   */
  readonly ask?: (
    request: McpApprovalRequest,
    asker: McpApprovalAsker & Waiting,
  ) => Eventually<ApprovalRules.McpApprovalAnswer | ApprovalRules.McpQuestionAnswers> | PromiseLike<string>
  /**
   * How long `ask` may take before the request is declined: text such as `"30 seconds"`, or milliseconds. 2 minutes by
   * default.
   */
  readonly deadline?: Duration.Input | string
  /**
   * Receives every decision, for an audit log. The decision does not wait for it, and its failures are ignored.
   *
   * @param entry the request, the decision, and what made it; also where the turn ended before a decision
   */
  readonly log?: (entry: McpApprovalEntry) => Eventually<unknown>
}

/**
 * Checks the options of a policy. Returns what is wrong with them, as one line with the path; `undefined` if nothing
 * is. An expression that can take exponential time is found only at the first request.
 *
 * @param options the options of `make`; unknown keys and values of the wrong type are found too
 *
 * @example
 * ```ts
 * import { McpApproval } from "@zain/core"
 *
 * McpApproval.problem({ rules: [{ within: "docs", answer: "approve" }] })
 * // `rules.0.within` is not valid; expected the absolute path of a directory
 * ```
 */
export const problem = (options: Options): string | undefined => Option.getOrUndefined(Result.getFailure(read(options)))

const Callback = Schema.optionalKey(
  Schema.declare((value) => value === undefined || typeof value === "function", { expected: "a function" }),
)
/** The members of `Options`; an unknown key is an error, as a misspelled `rules` would drop every rule. */
const decode = Schema.decodeUnknownResult(
  Schema.Struct({
    ask: Callback,
    log: Callback,
    deadline: Schema.optional(Schema.Unknown),
    rules: Schema.optional(Schema.Unknown),
  }),
  { onExcessProperty: "error" },
)

const read = (options: Options) => {
  const decoded = decode(options)
  if (Result.isFailure(decoded)) return Result.fail(SchemaProblem.explain(decoded.failure))
  const { deadline = "2 minutes", rules = [] } = options
  const byRules = ApprovalRules.parse(rules)
  if (Result.isFailure(byRules)) return Result.fail(byRules.failure)
  const limit = PositiveDuration.read(deadline)
  return Option.isNone(limit)
    ? Result.fail(`\`deadline\` is not valid; expected ${PositiveDuration.expected}`)
    : Result.succeed({ byRules: byRules.success, limit: limit.value })
}

/**
 * Makes a policy from rules and a callback. Approvals fail closed: whatever goes wrong declines the request, and
 * nothing is thrown.
 *
 * @param options rules, a callback and a log; an invalid or unknown option declines every request, and the reason names
 *   its path
 *
 * @example
 * ```ts
 * import { McpApproval } from "@zain/core"
 *
 * const policy = McpApproval.make({
 *   rules: [
 *     { within: "/srv/project/.git", answer: { decline: "Leave .git alone." } },
 *     { kind: "permission", answer: { decline: "Stay within your sandbox." } },
 *     { command: /ls( -la?)?/, cwd: "/srv/project", answer: "approve" },
 *     { kind: "file-change", within: "/srv/project/docs", answer: "approve" },
 *   ],
 *   ask: async ({ kind, tool }) => (kind === "tool" && tool === "WebSearch" ? "approve" : "decline"),
 *   deadline: "30 seconds",
 *   log: (entry) => console.error(entry.by, entry.decision._tag, entry.request.message),
 * })
 * ```
 *
 * @see docs/concepts/approvals.md; docs/internals/promises.md, 23
 */
export const make = (options: Options = {}): McpApprovalPolicy => {
  const { ask, log }: Options = Object(options)
  const checked = read(options)

  const decide = (request: McpApprovalRequest, asker: McpApprovalAsker): Effect.Effect<Verdict> =>
    Result.isFailure(checked)
      ? failed(`The approval policy is wrong: ${checked.failure}.`)
      : request.kind === "question"
        ? askFor(request, asker, checked.success.limit)
        : Effect.matchEffect(checked.success.byRules(request), {
            onFailure: (problem) => failed(`The approval policy is wrong: ${problem}.`),
            onSuccess: (ruled) => {
              if (ruled !== undefined) return Effect.succeed<Verdict>({ decision: ruled, by: "rule" })
              if (asker.own === true) return Effect.succeed<Verdict>({ decision: approve, by: "own" })
              return asker.isApproved === true
                ? Effect.succeed<Verdict>({ decision: approve, by: "session" })
                : askFor(request, asker, checked.success.limit)
            },
          })
  const askFor = (
    request: McpApprovalRequest,
    asker: McpApprovalAsker,
    limit: Duration.Duration,
  ): Effect.Effect<Verdict> => {
    const isQuestion = request.kind === "question"
    if (ask === undefined) {
      return Effect.succeed(verdict("default", isQuestion ? QuestionAnswers.dismissed : undecided))
    }
    /** The decline of a request that the callback did not decide. */
    const without = (by: Verdict["by"], reason: string) =>
      verdict(by, isQuestion ? `${reason} ${QuestionAnswers.advice}` : reason)
    return Effect.matchCause(
      Effect.timeoutOption(
        unattached<ApprovalRules.McpApprovalAnswer | ApprovalRules.McpQuestionAnswers | string>((signal) =>
          ask(request, { ...asker, signal }),
        ),
        limit,
      ),
      {
        onFailure: () => without("failure", "The host's approval callback failed."),
        onSuccess: (answer) => {
          if (Option.isNone(answer))
            return without("deadline", "The host's approval callback did not answer within its deadline.")
          const given = ApprovalRules.decisionOf(answer.value)
          const decision = given === undefined ? undefined : QuestionAnswers.fitting(request, given)
          if (decision !== undefined) return { decision, by: "ask" }
          return without("failure", isQuestion ? noAnswers : noDecision)
        },
      },
    )
  }

  return (request, asker) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const tell = ({ by, decision }: Verdict) =>
        log === undefined
          ? Effect.void
          : Effect.flatMap(Clock.currentTimeMillis, (now) =>
              unheard(() => {
                const shown = QuestionAnswers.shown(request, decision)
                return log({ ...asker, at, request, decision: shown, by, tookMillis: now - at })
              }),
            )
      return Effect.suspend(() => decide(request, asker)).pipe(
        Effect.catchDefect(() => failed("The approval policy failed.")),
        Effect.onInterrupt(() => tell(verdict("interrupted", "The turn ended before a decision."))),
        Effect.tap(tell),
        Effect.map(({ decision }) => decision),
      )
    })
}

const noDecision =
  "The host's approval callback returned no decision, such as `approve`, `decline` or `{ decline: reason }`."

const noAnswers = "The host's approval callback returned no answers to the questions."

/** The reason of a decline for a request that no rule decides, without `ask`. */
const undecided =
  "Declined by the policy of this session: no rule of its client's `approvals` approves this. Continue without it."

interface Verdict extends Pick<McpApprovalEntry, "by" | "decision"> {}

const verdict = (by: Verdict["by"], reason: string): Verdict => ({ by, decision: decline(reason) })
const failed = (reason: string) => Effect.succeed(verdict("failure", reason))

/** Starts a callback of the host, and ignores its result. */
const unheard = (start: () => Eventually<unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDetach(Effect.exit(Effect.suspend(() => settle(start()))), { startImmediately: true }))
