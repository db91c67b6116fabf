/**
 * `zain run`: starts an agent, runs one turn, and ends the agent.
 */
import type { Agent } from "@zain/agent-list/Agent"
import type * as McpApproval from "@zain/core/McpApproval"
import type { McpAttachment } from "@zain/core/McpAttachment"
import { invalidConfig } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import type { Unwritable } from "@zain/process/StateFiles"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as AgentProgram from "../AgentProgram.ts"
import * as Output from "../Output.ts"
import * as WrongUsage from "../WrongUsage.ts"
import * as AgentSession from "./AgentSession.ts"
import * as AnswerSchema from "./AnswerSchema.ts"
import * as ApprovalFlags from "./ApprovalFlags.ts"
import * as Ending from "./Ending.ts"
import * as JsonLines from "./JsonLines.ts"
import * as Keyboard from "./Keyboard.ts"
import * as LastThread from "./LastThread.ts"
import * as Prompt from "./Prompt.ts"
import type { Asking } from "./Question.ts"
import type { Report } from "./Report.ts"
import type { Asked } from "./RunOptions.ts"
import * as Screen from "./Screen.ts"
import * as Turn from "./Turn.ts"

const command = ["zain", "run"]

/** @returns the exit code */
export const run = Effect.fnUntraced(function* (asked: Asked, agents: ReadonlyArray<Agent>) {
  const { effort, json, maxTurns, model, permissionMode, sandbox, timeout } = asked
  const cwd = Option.getOrElse(asked.cwd, () => process.cwd())
  const prompt = Option.getOrUndefined(asked.prompt)
  const rules = ApprovalFlags.rules(asked)
  if (Result.isFailure(rules)) return yield* WrongUsage.fail(command, rules.failure)
  if (asked.last && Option.isSome(asked.thread)) {
    return yield* WrongUsage.fail(command, "--last and --thread exclude each other: pass one of them.")
  }
  const env = yield* passed(asked.env)
  const { agent, facts } = yield* chosen(asked, agents, cwd)
  const output = yield* AnswerSchema.read(asked.schema)
  const content = yield* Prompt.read(prompt, process.stdin)

  const [stdout, stderr] = [Output.of(process.stdout), Output.of(process.stderr)]
  const { name, title } = facts
  if (Option.isNone(asked.provider) && !json) stderr.print(`${stderr.paint.dim(`${title} is the only agent here.`)}\n`)
  const shown = json ? JsonLines.make(stdout, stderr) : yield* Screen.make(title, stdout, stderr, output !== undefined)
  const last = LastThread.make(name, cwd, process.env)
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
    const threadId = asked.last ? yield* newest(last, title, cwd) : Option.getOrUndefined(asked.thread)
    // A continued thread runs in its own directory, unless `--cwd` is set.
    const place = threadId === undefined || Option.isSome(asked.cwd) ? { cwd } : {}
    const options = {
      ...place,
      ...given({ model, effort, sandbox, permissionMode, maxTurns }),
      ...(threadId === undefined ? {} : { threadId }),
    }
    const command = Option.getOrUndefined(asked.command)
    const session = yield* AgentSession.make(agent, facts, { command, env, cwd, options })
    return yield* Turn.take(session, { ...place, policy, report, request })
  })
  return yield* Ending.conclude(turn, report, name)
})

/** The options that are given; the agent refuses those that it does not have. */
const given = (options: Readonly<Record<string, Option.Option<unknown>>>) =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (Option.isNone(value) ? [] : [[name, value.value]])),
  )

const imageOf = (path: string): McpAttachment => ({ _tag: "Image", path })

/** An agent with its facts. */
interface Known {
  readonly agent: Agent
  readonly facts: AgentFacts
}

/** The agent of `--provider`, or the only one on PATH. */
const chosen = Effect.fnUntraced(function* (
  { command: named, provider }: Asked,
  agents: ReadonlyArray<Agent>,
  cwd: string,
): Effect.fn.Return<Known, Error> {
  const wanted = Option.getOrUndefined(provider)
  const all = yield* Effect.forEach(
    agents.filter(({ name }) => wanted === undefined || name === wanted),
    (agent) => Effect.map(Effect.promise(agent.facts), (facts): Known => ({ agent, facts })),
  )
  const choice = all.map(({ agent }) => `--provider ${agent.name}`).join(" or ")
  const [first] = all
  if (wanted !== undefined && first !== undefined) return first
  if (Option.isSome(named)) return yield* WrongUsage.fail(command, `--command requires --provider: ${choice}.`)
  const here = all.filter(({ facts }) => AgentProgram.find(facts, undefined, cwd).program !== undefined)
  const [only, ...others] = here
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined) return yield* WrongUsage.fail(command, `More than one agent is on PATH. Choose: ${choice}.`)
  const installs = all.map(({ facts }) => facts.install)
  return yield* Effect.fail(new Error(`No agent is on PATH. Install one: ${installs.join(", or ")}.`))
})

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

/** The variables of `--env`. */
const passed = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const unset = names.find((name) => process.env[name] === undefined)
  if (unset !== undefined) {
    return yield* WrongUsage.fail(command, `--env ${unset}: the variable is not set.`)
  }
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]))
})

/** Asks on the terminal. */
const asking =
  (report: Report, terminal: Pick<Asking, "canDraw" | "keyboard">): NonNullable<McpApproval.Options["ask"]> =>
  (request, { signal }) =>
    report.question(request, question({ ...terminal, signal }))

/** In raw mode Ctrl-C is a key and not a signal, so an answer can interrupt the run. */
const question = Effect.fnUntraced(function* (asking: Asking) {
  const Question = yield* Effect.promise(() => import("./Question.ts"))
  const answer = yield* Effect.promise(() => Question.ask(asking))
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
