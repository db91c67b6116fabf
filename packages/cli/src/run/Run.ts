/**
 * `zain run`: starts an agent, runs one turn, and ends the agent.
 */
import type { Agent, CommonOptions } from "@zain/agent-list/Agent"
import type * as McpApproval from "@zain/core/McpApproval"
import type { McpAttachment } from "@zain/core/McpAttachment"
import { invalidConfig } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import type { Unwritable } from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as ChosenAgent from "../ChosenAgent.ts"
import * as Output from "../Output.ts"
import * as Passed from "../Passed.ts"
import * as WrongUsage from "../WrongUsage.ts"
import * as AgentSession from "./AgentSession.ts"
import * as AgentThreads from "./AgentThreads.ts"
import * as AnswerSchema from "./AnswerSchema.ts"
import * as ApprovalFlags from "./ApprovalFlags.ts"
import * as JsonLines from "./EventLines.ts"
import * as Keyboard from "./Keyboard.ts"
import * as LastThread from "./LastThread.ts"
import * as Prompt from "./Prompt.ts"
import type { Asking } from "./Question.ts"
import * as Ending from "./RunEnding.ts"
import type { Asked } from "./RunOptions.ts"
import type { Report } from "./RunReport.ts"
import * as RunScreen from "./RunScreen.ts"
import * as Turn from "./Turn.ts"

const command = ["zain", "run"]

/** @returns the exit code */
export const run = Effect.fnUntraced(function* (asked: Asked, agents: ReadonlyArray<Agent>) {
  const { effort, json, maxTurns, model, permissionMode, sandbox, timeout } = asked
  const cwd = Option.getOrElse(asked.cwd, () => process.cwd())
  const prompt = Option.getOrUndefined(asked.prompt)
  const rules = ApprovalFlags.rules(asked)
  if (Result.isFailure(rules)) return yield* WrongUsage.fail(command, rules.failure)
  const continuing = [asked.last ? "--last" : [], ...names(asked)].flat()
  if (continuing.length > 1) {
    return yield* WrongUsage.fail(command, `${continuing.join(" and ")} exclude each other: pass one of them.`)
  }
  const cluster = Option.getOrUndefined(asked.cluster)
  const misplaced = misplacedIn(asked)
  if (misplaced !== undefined) return yield* WrongUsage.fail(command, misplaced)
  const env = yield* Passed.variables(command, asked.env)
  const { agent, facts } = yield* ChosenAgent.choose(command, asked, agents, cwd)
  const output = yield* AnswerSchema.read(asked.schema)
  const content = yield* Prompt.read(prompt, process.stdin)

  const [stdout, stderr] = [Output.of(process.stdout), Output.of(process.stderr)]
  const { name, title } = facts
  if (Option.isNone(asked.provider) && !json) stderr.print(`${stderr.paint.dim(`${title} is the only agent here.`)}\n`)
  const shown = json
    ? JsonLines.make(stdout, stderr)
    : yield* RunScreen.make(title, stdout, stderr, output !== undefined)
  const workspace = Option.getOrUndefined(asked.workspace)
  const where = cluster === undefined ? cwd : `${cluster} ${workspace ?? ""}`
  const last = LastThread.make(name, where, process.env)
  const report: Report = { ...shown, event: (event) => Effect.andThen(keeping(last, event, shown), shown.event(event)) }
  const keyboard =
    json || !stderr.isTerminal ? undefined : yield* Keyboard.make(process.stdin, Prompt.isFromInput(prompt))
  const policy = ApprovalFlags.policy(rules.success, asked.approveChanges, {
    deadline: AgentSession.patience,
    log: report.decided,
    ...(keyboard === undefined ? {} : { ask: asking(report, { keyboard, canDraw: stderr.canDraw }) }),
  })
  yield* whenInterrupted(report.interrupting)
  const request = {
    content,
    ...(Option.isNone(timeout) ? {} : { deadline: timeout.value }),
    ...(output === undefined ? {} : { output }),
    ...(asked.image.length === 0 ? {} : { attachments: asked.image.map(imageOf) }),
  }
  const turn = Effect.gen(function* () {
    const command = Option.getOrUndefined(asked.command)
    const make = (options: CommonOptions) =>
      cluster === undefined
        ? AgentSession.make(agent, facts, { command, env, cwd, options })
        : Effect.map(
            Effect.promise(() => import("./ClusterSession.ts")),
            (session) => session.make(cluster, process.env, name, options),
          )
    const directory = cluster === undefined ? cwd : workspace
    const own = directory === undefined ? {} : { cwd: directory }
    const threadId = Option.isSome(asked.fork)
      ? yield* forked(yield* make(own), asked.fork.value)
      : asked.last
        ? yield* newest(last, title, where)
        : Option.getOrUndefined(asked.thread)
    // A continued thread runs in its own directory, unless `--cwd` is set.
    const place = threadId === undefined || Option.isSome(asked.cwd) || cluster !== undefined ? own : {}
    const options = {
      ...place,
      ...given({ model, effort, sandbox, permissionMode, maxTurns }),
      ...(threadId === undefined ? {} : { threadId }),
    }
    return yield* Turn.take(yield* make(options), { ...place, policy, report, request })
  })
  return yield* Ending.conclude(turn, report, cluster === undefined ? name : undefined)
})

/** Why an option does not fit: a runner decides it, or there is none. */
const misplacedIn = ({
  approveChanges,
  cluster,
  command,
  cwd,
  env,
  provider,
  workspace,
}: Asked): string | undefined => {
  if (Option.isNone(cluster)) return Option.isSome(workspace) ? "--workspace requires --cluster." : undefined
  if (Option.isNone(provider)) return "--cluster requires --provider: the name of an agent of its runners."
  const given = [
    ...[Option.isSome(command) ? "--command" : [], Option.isSome(cwd) ? "--cwd" : []],
    ...[env.length > 0 ? "--env" : [], approveChanges.length > 0 ? "--approve-changes" : []],
  ].flat()
  return given[0] === undefined ? undefined : `${given[0]} is for an agent on this machine: omit it with --cluster.`
}

/** The options that are given; the agent refuses those that it does not have. */
const given = (options: Readonly<Record<string, Option.Option<unknown>>>) =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (Option.isNone(value) ? [] : [[name, value.value]])),
  )

/** The options that name a thread. */
const names = ({ fork, thread }: Asked) => [
  ...(Option.isSome(thread) ? ["--thread"] : []),
  ...(Option.isSome(fork) ? ["--fork"] : []),
]

const forked = (session: AgentSession.AgentSession, threadId: string) =>
  AgentThreads.use(session, (threads, id) => threads.fork(id, threadId))

const imageOf = (path: string): McpAttachment => ({ _tag: "Image", path })

/** Stores the thread as soon as it exists, so that `--last` works after a failed turn. */
const keeping = (last: LastThread.LastThread, event: McpEvent, { stored, warned }: Report) =>
  event._tag === "ThreadStarted"
    ? Effect.matchEffect(last.put(event.threadId), {
        onSuccess: () => stored,
        onFailure: (cause) => warned(`--last does not continue this thread: ${unwritable(cause)}`),
      })
    : Effect.void

const unwritable = ({ directory, why }: Unwritable) =>
  `${directory} cannot be written (${why}). Set XDG_STATE_HOME to a directory that can be written.`

const newest = Effect.fnUntraced(function* (last: LastThread.LastThread, title: string, cwd: string) {
  const threadId = yield* Effect.catch(last.get, (cause) =>
    invalidConfig(
      `--last: the newest thread is not known, because ${unwritable(cause)} Or pass the thread by --thread.`,
    ),
  )
  if (threadId !== undefined) return threadId
  return yield* invalidConfig(`--last: no conversation with ${title} in ${cwd} yet. Omit --last to start one.`)
})

/** Asks on the terminal. */
const asking =
  (report: Report, terminal: Pick<Asking, "canDraw" | "keyboard">): NonNullable<McpApproval.Options["ask"]> =>
  (request, { signal }) =>
    report.question(request, question({ ...terminal, signal }, request))

/** In raw mode Ctrl-C is a key and not a signal, so an answer can interrupt the run. */
const question = Effect.fnUntraced(function* (asking: Asking, { questions }: McpApproval.McpApprovalRequest) {
  const Question = yield* Effect.promise(() => import("./Question.ts"))
  const answer = yield* Effect.promise(() => Question.ask(asking, questions))
  if (answer !== "interrupt") return answer
  if (!asking.signal.aborted) process.emit("SIGINT", "SIGINT")
  return yield* Effect.never
})

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Reports the first signal immediately, not after the interruption is complete. */
const whenInterrupted = (tell: () => void): Effect.Effect<void, never, Scope.Scope> => {
  let isTold = false
  const once = () => {
    if (isTold) return
    isTold = true
    tell()
  }
  return Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => signals.forEach((signal) => void process.on(signal, once))),
      () => Effect.sync(() => signals.forEach((signal) => void process.off(signal, once))),
    ),
  )
}
