/**
 * `zain run`: one agent, one prompt, from the start of the agent to its end.
 */
import type * as McpApproval from "@zain/core/McpApproval"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as AgentProgram from "../AgentProgram.ts"
import * as Output from "../Output.ts"
import * as WrongUsage from "../WrongUsage.ts"
import * as Agents from "./Agents.ts"
import * as ApprovalFlags from "./ApprovalFlags.ts"
import * as Ending from "./Ending.ts"
import * as JsonLines from "./JsonLines.ts"
import * as Keyboard from "./Keyboard.ts"
import * as Prompt from "./Prompt.ts"
import type { Asking } from "./Question.ts"
import type { Report } from "./Report.ts"
import type { Asked } from "./RunCommand.ts"
import * as Screen from "./Screen.ts"
import * as Turn from "./Turn.ts"

const command = ["zain", "run"]

/** @returns the exit code */
export const run = Effect.fnUntraced(function* (asked: Asked) {
  const { json, model, provider, timeout } = asked
  const cwd = Option.getOrElse(asked.cwd, () => process.cwd())
  const prompt = Option.getOrUndefined(asked.prompt)
  const rules = ApprovalFlags.rules(asked)
  if (Result.isFailure(rules)) return yield* WrongUsage.fail(command, rules.failure)
  const env = yield* passed(asked.env)
  const content = yield* Prompt.read(prompt, process.stdin)

  const [stdout, stderr] = [Output.of(process.stdout), Output.of(process.stderr)]
  const { title } = AgentProgram.programs[provider]
  const report = json ? JsonLines.make(stdout, stderr) : yield* Screen.make(title, stdout, stderr)
  const keyboard =
    json || !stderr.isTerminal ? undefined : yield* Keyboard.make(process.stdin, Prompt.isFromInput(prompt))
  const policy = ApprovalFlags.policy(rules.success, asked.approveChanges, {
    deadline: Agents.patience,
    log: report.decided,
    ...(keyboard === undefined ? {} : { ask: asking(report, { keyboard, canDraw: stderr.canDraw }) }),
  })
  yield* whenInterrupted(report.interrupting)
  const wanted: Agents.Wanted = {
    provider,
    command: Option.getOrUndefined(asked.command),
    env,
    options: { cwd, ...(Option.isNone(model) ? {} : { model: model.value }) },
  }
  const request = { content, ...(Option.isNone(timeout) ? {} : { deadline: timeout.value }) }
  const turn = Effect.flatMap(Agents.load(wanted), (agent) => Turn.take(agent, { cwd, policy, report, request }))
  return yield* Ending.conclude(turn, report, provider)
})

/** The variables to pass on, by their names. */
const passed = (names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const unset = names.find((name) => process.env[name] === undefined)
    if (unset !== undefined) {
      return yield* WrongUsage.fail(command, `--env ${unset}: there is no such variable to pass on.`)
    }
    return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]))
  })

/** Asks on the terminal. */
const asking =
  (report: Report, terminal: Pick<Asking, "canDraw" | "keyboard">): NonNullable<McpApproval.Options["ask"]> =>
  (request, { signal }) =>
    report.question(request, question({ ...terminal, signal }))

/** Who is asked may say that all of it is to end: their terminal made a key of what else is a signal. */
const question = (asking: Asking) =>
  Effect.gen(function* () {
    const Question = yield* Effect.promise(() => import("./Question.ts"))
    const answer = yield* Effect.promise(() => Question.ask(asking))
    if (answer !== "interrupt") return answer
    if (!asking.signal.aborted) process.emit("SIGINT", "SIGINT")
    return yield* Effect.never
  })

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Tells of the first signal when it comes, and not when all that it ends has ended. */
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
