/**
 * Who decides what agents may do: one policy for all of them, made of rules and a callback.
 *
 * @see design, §5; promises 7 and 23
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"
import * as ApprovalRules from "./ApprovalRules.ts"
import type { McpApprovalReply } from "./ApprovalUse.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpSessionId } from "./McpSessionId.ts"

export { McpApprovalDecision, McpApprovalRequest, McpFileChange } from "./ApprovalRequest.ts"
export type { McpApprovalAnswer, McpApprovalRule } from "./ApprovalRules.ts"
export { type McpApprovalReply, reply } from "./ApprovalUse.ts"

/**
 * Which agent asks: its kind, its session, and the turn of that session. `isApproved`: the same use was approved for the
 * session before
 */
export interface McpApprovalAsker {
  readonly provider: McpProvider
  readonly sessionId: McpSessionId
  readonly turn: number
  readonly isApproved?: boolean
}

/**
 * Decides. The turn waits for it, and is not silent meanwhile, so that it must end: nothing else bounds it. One that
 * `make` has made ends by its own deadline. Interrupting it says that nobody waits any more. One that dies has declined.
 */
export type McpApprovalPolicy = (
  request: McpApprovalRequest,
  asker: McpApprovalAsker,
) => Effect.Effect<McpApprovalDecision>

/** This once. */
export const approve: McpApprovalReply = { _tag: "Approve" }

/**
 * This, and the same use until the session ends: the same command line in the same directory, the same tool with the same
 * arguments, the same tool for the same files whatever it writes. The agent is told of single approvals alone.
 */
export const approveForSession: McpApprovalDecision = { _tag: "ApproveForSession" }

/** Not. The reason reaches the agent where it takes one. */
export const decline = (reason: string = ApprovalRules.declined): McpApprovalReply => ({ _tag: "Decline", reason })

/**
 * The policy of the adapters that are made where it is provided. Declines everything by default.
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
 * @see design, §5: the default policy is to decline everything
 */
export const McpApproval = Context.Reference<McpApprovalPolicy>("@zain/core/McpApproval", {
  defaultValue: () => make(),
})

/**
 * One line of the audit log.
 *
 * - `at`: when it was asked, in milliseconds since 1970; `tookMillis`: how long the decision took
 * - `by`: what decided. `rule`, `ask`: these; `session`: an approval for the session; `default`: none of them; `deadline`: the callback was late; `failure`: the
 *   callback failed, or gave no decision, or the policy itself is wrong; `interrupted`: the turn ended before
 */
export interface McpApprovalEntry extends McpApprovalAsker {
  readonly at: number
  readonly request: McpApprovalRequest
  readonly decision: McpApprovalDecision
  readonly by: "rule" | "session" | "ask" | "deadline" | "default" | "failure" | "interrupted"
  readonly tookMillis: number
}

/** What a function of the host's may return: a value, the promise of one, or an Effect. */
type Eventually<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

/** `signal`: aborts when nobody waits for the answer any more. */
export interface Waiting {
  readonly signal: AbortSignal
}

/**
 * - `rules`: looked at first; the first that matches decides. One that approves matches a request as a whole, one that
 *   declines any part of it: those that decline come first
 * - `ask`: decides what no rule does, and what was not approved for the session before; without it, that is declined. One
 *   that fails, or gives no decision, has declined
 * - `deadline`: how long `ask` may take before the answer is no. 2 minutes
 * - `log`: hears every decision. Nobody waits for it, and what becomes of it changes nothing
 */
export interface Options {
  readonly rules?: ReadonlyArray<ApprovalRules.McpApprovalRule>
  readonly ask?: (
    request: McpApprovalRequest,
    asker: McpApprovalAsker & Waiting,
  ) => Eventually<ApprovalRules.McpApprovalAnswer>
  readonly deadline?: Duration.Input
  readonly log?: (entry: McpApprovalEntry) => Eventually<unknown>
}

/**
 * A policy. It always decides: whatever goes wrong is a refusal, and nothing is thrown.
 *
 * @param options rules and a callback; a rule or a deadline that cannot be read declines everything, and the reason
 *   names its path
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
 * @see design, §5; promise 23
 */
export const make = ({ ask, deadline = "2 minutes", log, rules = [] }: Options = {}): McpApprovalPolicy => {
  const read = ApprovalRules.parse(rules)
  const limit = Option.filter(Duration.fromInput(deadline), Duration.isPositive)
  const wrong = Result.isFailure(read) ? read.failure : Option.isNone(limit) ? "`deadline` is not valid" : undefined

  const decide = (request: McpApprovalRequest, asker: McpApprovalAsker): Effect.Effect<Verdict> =>
    wrong !== undefined || Result.isFailure(read)
      ? failed(`The approval policy is wrong: ${wrong}.`)
      : Effect.matchEffect(read.success(request), {
          onFailure: (problem) => failed(`The approval policy is wrong: ${problem}.`),
          onSuccess: (ruled) => {
            if (ruled !== undefined) return Effect.succeed<Verdict>({ decision: ruled, by: "rule" })
            return asker.isApproved === true
              ? Effect.succeed<Verdict>({ decision: approve, by: "session" })
              : askFor(request, asker)
          },
        })
  const askFor = (request: McpApprovalRequest, asker: McpApprovalAsker): Effect.Effect<Verdict> => {
    if (ask === undefined) return Effect.succeed({ decision: decline(), by: "default" })
    return Effect.matchCause(
      Effect.timeoutOption(
        unattached((signal) => ask(request, { ...asker, signal })),
        Option.getOrThrow(limit),
      ),
      {
        onFailure: () => verdict("failure", "The host's approval callback failed."),
        onSuccess: (answer) => {
          if (Option.isNone(answer)) return verdict("deadline", "Nobody answered in time.")
          const decision = ApprovalRules.decisionOf(answer.value)
          return decision === undefined
            ? verdict("failure", "The host's approval callback gave no decision.")
            : { decision, by: "ask" }
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
              unheard(() => log({ ...asker, at, request, decision, by, tookMillis: now - at })),
            )
      return Effect.suspend(() => decide(request, asker)).pipe(
        Effect.catchDefect(() => failed("The approval policy failed.")),
        Effect.onInterrupt(() => tell(verdict("interrupted", "The turn ended before anybody answered."))),
        Effect.tap(tell),
        Effect.map(({ decision }) => decision),
      )
    })
}

interface Verdict extends Pick<McpApprovalEntry, "by" | "decision"> {}

const verdict = (by: Verdict["by"], reason: string): Verdict => ({ by, decision: decline(reason) })
const failed = (reason: string) => Effect.succeed(verdict("failure", reason))

const settle = <A>(value: Eventually<A>): Effect.Effect<A, unknown> => {
  if (Effect.isEffect(value)) return value
  const isPromise = typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
  return isPromise ? Effect.promise(async () => await value) : Effect.succeed(value as A)
}

/** Runs what the host gave on a fiber of its own: whoever gives it up does not wait for its end. */
const unattached = <A>(start: (signal: AbortSignal) => Eventually<A>): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.callback<A, unknown>((resume) => {
      const abort = new AbortController()
      const fiber = Effect.runForkWith(context)(Effect.suspend(() => settle(start(abort.signal))))
      fiber.addObserver((exit) => resume(exit))
      return Effect.sync(() => {
        abort.abort()
        fiber.interruptUnsafe()
      })
    }),
  )

/** Starts what the host gave, and hears no more of it. */
const unheard = (start: () => Eventually<unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDetach(Effect.exit(Effect.suspend(() => settle(start()))), { startImmediately: true }))
