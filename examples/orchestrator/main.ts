/**
 * Codex plans three tasks, Claude Code works on two at once, each in its git worktree, and Codex reviews the diffs. Ctrl-C ends
 * all agents; after it, and after `kill -9`, the same command goes on. Each task ends as a commit on a branch of its own.
 *
 *   cd your-repository && node --conditions=zain-source …/examples/orchestrator/main.ts "Add an export to CSV"
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import type { McpClientAdapter, McpRequest, McpSessionId } from "@zain/core"
import { McpApproval, McpBudget, McpError, McpResponse, McpRetry, TerminalText } from "@zain/core"
import { Cause, Effect, Exit, Schema, Stream } from "effect"

const Planned = Schema.Struct({ tasks: Schema.Array(Schema.Struct({ title: Schema.String, prompt: Schema.String })) })
const Review = Schema.Struct({ mistakes: Schema.Array(Schema.String) })

type Task = (typeof Planned.Type)["tasks"][number] & {
  readonly name: string
  threadId?: string | undefined
  isDone?: boolean
}
type Plan = { readonly goal: string; readonly tasks: ReadonlyArray<Task> }

const repository = process.cwd()
/** Beside the repository: the worktrees, and the plan with the state of each task. */
const place = `${repository}.tasks`
const planFile = join(place, "plan.json")
const rounds = 3
const budget = McpBudget.make({ turns: 30, time: "2 hours" })

/** Writes the plan whole or not at all. */
const save = (plan: Plan) => {
  writeFileSync(`${planFile}.new`, JSON.stringify(plan, null, 2))
  renameSync(`${planFile}.new`, planFile)
}

const say = (who: string, what: string) => console.log(`${who}: ${TerminalText.visibleLine(what)}`)

/** Runs git without the commands that its configuration may name. */
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<string, Error>((resume, signal) => {
    const safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args]
    execFile("git", safe, { cwd, signal, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(error)),
    )
  })

/** Runs one turn with its tools as live lines, waits out limits of the account, and fails where the agent has failed. */
const turn = <A>(
  who: string,
  { stream }: McpClientAdapter,
  session: McpSessionId,
  request: McpRequest<A>,
  started: (threadId: string) => void = () => {},
) => {
  const execute = (asked: McpRequest<A>) =>
    Stream.runFold(
      stream(session, asked),
      (): McpResponse<A> | undefined => undefined,
      (answer, piece) => {
        if (piece._tag === "ThreadStarted") started(piece.threadId)
        if (piece._tag === "ToolStarted") say(who, piece.title)
        return piece._tag === "Response" ? piece.response : answer
      },
    ).pipe(Effect.map((answer) => answer as McpResponse<A>))
  const onWait = ({ until }: McpRetry.Wait) => say(who, `waits for a limit until ${new Date(until).toISOString()}`)
  return Effect.flatMap(McpRetry.untilReset({ execute }, request, { onWait }), McpResponse.orFail)
}

/** Asks Codex, which may only read, for a value. */
const ask = Effect.fn(function* <A>(who: string, cwd: string, content: string, output: Schema.Codec<A, unknown>) {
  const codex = yield* budget.limit(CodexMcpClientAdapter.make())
  const options = { cwd, sandbox: "read-only", approvalPolicy: "never" } as const
  const session = yield* codex.openSession(CodexTransportFactory.local({ options }))
  return (yield* turn(who, codex, session, { content, output })).structured
}, Effect.scoped)

const makePlan = Effect.fn(function* (goal: string) {
  const content = `Plan this as three independent tasks, each with a title and a complete prompt: ${goal}`
  const { tasks } = yield* ask("plan", repository, content, Planned)
  const plan: Plan = { goal, tasks: tasks.map((task, at) => ({ ...task, name: `task-${at + 1}` })) }
  save(plan)
  return plan
})

/** Lets Claude Code work on a task until Codex finds no mistake. */
const work = Effect.fn(function* (task: Task, changed: () => void) {
  const { name, prompt, threadId } = task
  const cwd = join(place, name)
  if (!existsSync(cwd)) yield* git(repository, "worktree", "add", "--quiet", "-B", `zain/${name}`, cwd)
  const approvals = McpApproval.make({
    rules: [{ kind: "file-change", within: cwd, answer: "approve" }],
    ask: () => ({ decline: "Change files of your directory, and nothing else." }),
  })
  const claude = yield* budget.limit(ClaudeCodeMcpClientAdapter.make({ approvals }))
  const options = { cwd, ...(threadId === undefined ? {} : { threadId }) }
  const session = yield* claude.openSession(ClaudeCodeTransportFactory.local({ options }))
  const started = (id: string) => {
    task.threadId = id
    changed()
  }
  let content = threadId === undefined ? prompt : `You were interrupted. Go on with your task:\n\n${prompt}`
  for (let round = 1; round <= rounds; round++) {
    say(name, (yield* turn(name, claude, session, { content }, started)).content)
    yield* git(cwd, "add", "--all")
    const diff = yield* git(cwd, "diff", "--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules")
    const question = `Which mistakes has this diff? Its task: ${prompt}\n\n${diff}`
    const { mistakes } = yield* ask(`${name}, review`, cwd, question, Review)
    for (const mistake of mistakes) say(`${name}, review`, mistake)
    if (mistakes.length === 0) {
      yield* git(cwd, "commit", "--quiet", "--allow-empty", `--message=${task.title}`)
      task.isDone = true
      changed()
      return say(name, `done, on the branch zain/${name}`)
    }
    content = `A reviewer has found these mistakes. Mend them, and nothing else:\n\n${mistakes.join("\n")}`
  }
  return say(name, `not done: it still has mistakes after ${rounds} rounds`)
}, Effect.scoped)

const isLost = (error: unknown) => McpError.isMcpError(error) && error.reason === "conversation-lost"

const program = Effect.gen(function* () {
  mkdirSync(place, { recursive: true })
  const goal = process.argv[2] ?? "Improve the documentation of this directory"
  const before: Plan | undefined = existsSync(planFile) ? JSON.parse(readFileSync(planFile, "utf8")) : undefined
  const plan = before?.goal === goal ? before : yield* makePlan(goal)
  for (const { name, title } of plan.tasks) say(name, title)
  const attempt = (task: Task) => work(task, () => save(plan))
  const whole = (task: Task) =>
    // A conversation is lost if the program was killed before the agent stored the first prompt.
    Effect.catchIf(attempt(task), isLost, () => attempt(Object.assign(task, { threadId: undefined }))).pipe(
      Effect.catch(({ message }) => Effect.sync(() => say(task.name, `not done: ${message}`))),
    )
  const open = plan.tasks.filter(({ isDone }) => isDone !== true)
  yield* Effect.forEach(open, whole, { concurrency: 2, discard: true })
  say("budget", `${budget.spent().turns} turns, ${budget.spent().tokens} tokens`)
  return plan.tasks.every(({ isDone }) => isDone === true) ? 0 : 1
})

const interrupt = new AbortController()
process.once("SIGINT", () => interrupt.abort())
const exit = await Effect.runPromiseExit(program, { signal: interrupt.signal })
if (Exit.isFailure(exit) && !interrupt.signal.aborted) console.error(TerminalText.visible(Cause.pretty(exit.cause)))
process.exitCode = Exit.isSuccess(exit) ? exit.value : interrupt.signal.aborted ? 130 : 1
