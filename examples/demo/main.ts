/**
 * Both real agents before scripted models: each remembers, streams, and asks before it writes. More than a newcomer needs,
 * for it proves what it shows.
 *
 *   pnpm demo
 */
import { randomInt } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { McpApproval, type McpError, type McpEvent } from "@zain/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Agents from "./Agents.ts"
import * as Processes from "./Processes.ts"
import * as Screen from "./Screen.ts"

const help = `Drives the real Codex and the real Claude Code through the same three operations. Each remembers a word over two
turns, answers as it thinks, and asks before it writes the word to a file, which a rule of the demo's allows.

  pnpm demo            both agents, as pinned by this repository, in front of scripted models
  pnpm demo --json     the same, one JSON object a line: what happened, and each event
  ZAIN_LIVE=1 pnpm demo    your own codex and claude from PATH, with your own logins

Exit code: 0 when both agents remembered, asked, wrote, and no process is left, 1 otherwise, 130 when interrupted.
`

const words = ["tangerine", "harbour", "velvet", "compass", "meadow", "lantern", "granite", "saffron"]

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([took, value]) => ({ value, ms: Math.round(Duration.toMillis(took)) }))

/** What the demo lets its agents do: write files in the directory that it made for them, and nothing else. */
const rules = (directory: string): ReadonlyArray<McpApproval.McpApprovalRule> => [
  { kind: "file-change", within: directory, answer: "approve" },
]

const textIn = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim() : undefined)

/** One agent, from opening to closing. Returns what it did, and every process that was seen. */
const drive = Effect.fnUntraced(function* ({ config, directory, make }: Agents.Agent, screen: Screen.Screen) {
  const decisions: Array<McpApproval.McpApprovalEntry> = []
  const policy = McpApproval.make({ rules: rules(directory), log: (entry) => void decisions.push(entry) })
  const client = yield* Effect.provideService(make, McpApproval.McpApproval, policy)
  const { provider } = client
  const word = words[randomInt(words.length)] as string
  const file = join(directory, "word.txt")

  const opened = yield* timed(screen.progress(`${provider}: opening a session`, client.openSession(config)))
  const sessionId = opened.value
  yield* screen.fact({ step: "open", provider, sessionId, text: `session ${sessionId} is open`, ms: opened.ms })

  const hear = Effect.fnUntraced(function* (event: McpEvent) {
    yield* screen.event(provider, event)
    const decision = event._tag === "ApprovalDecided" ? decisions.at(-1) : undefined
    if (decision === undefined) return
    const { by, request } = decision
    const said = decision.decision._tag === "Decline" ? "Declined" : "Approved"
    const text = `? ${request.message}\n! ${said} by ${by === "rule" ? "a rule of the demo's" : by}`
    yield* screen.fact({ step: "approval", provider, sessionId, request, decision: decision.decision, by, text })
  })
  const ask = Effect.fnUntraced(function* (prompt: string) {
    const isLast = ({ _tag }: McpEvent) => _tag === "TurnCompleted" || _tag === "TurnFailed"
    const events = Stream.takeUntil(client.events(sessionId), isLast)
    const working = Effect.gen(function* () {
      const heard = yield* Effect.forkChild(Stream.runForEach(events, hear), { startImmediately: true })
      const answer = yield* client.execute(sessionId, { content: prompt })
      yield* Fiber.join(heard)
      return answer
    })
    const { ms, value } = yield* timed(screen.asking(provider, prompt, working))
    const { content, isError } = value
    yield* screen.fact({ step: "execute", provider, sessionId, prompt, content, isError, text: content, ms })
    return content
  })
  yield* ask(`Remember this word: ${word}. Answer in one short sentence.`)
  const recalled = yield* ask("Which word did I ask you to remember? Answer in one short sentence.")
  yield* ask(`Write it to the file ${file}. Answer in one short sentence.`)

  const seen = Processes.descendants()
  const { ms } = yield* timed(screen.progress(`${provider}: closing`, client.closeSession(sessionId)))
  yield* screen.fact({ step: "close", provider, sessionId, text: "session is closed", ms })
  return { seen, approvals: decisions.length, remembered: recalled.includes(word), wrote: textIn(file) === word }
})

const demo = Effect.fnUntraced(function* (screen: Screen.Screen) {
  const live = process.env["ZAIN_LIVE"] === "1"
  yield* screen.note(
    live
      ? "ZAIN_LIVE=1: your own codex and claude, with your own logins."
      : "No key is needed: both agents are real, their models are scripts on 127.0.0.1. ZAIN_LIVE=1 uses your own.",
  )
  const runs = yield* Effect.scoped(
    Effect.gen(function* () {
      const agents = yield* live ? Agents.live : Agents.scripted
      return yield* Effect.forEach(agents, (agent) => Effect.scoped(drive(agent, screen)))
    }),
  )
  const left = [...Processes.alive(runs.flatMap(({ seen }) => seen)), ...Processes.descendants()]
  const remembered = runs.every((run) => run.remembered)
  const asked = runs.every((run) => run.approvals > 0 && run.wrote)
  const ok = remembered && asked && left.length === 0
  yield* screen.fact({
    step: "summary",
    ok,
    remembered,
    asked,
    processesSeen: runs.flatMap(({ seen }) => seen).length,
    processesLeft: left,
    text: [
      remembered ? "Both agents remembered." : "An agent did not remember.",
      asked ? "Both asked before they wrote." : "An agent did not ask, or did not write.",
      left.length === 0
        ? "No process of theirs is left."
        : `Processes are left: ${left.map(({ name, pid }) => `${name} (${pid})`).join(", ")}.`,
    ].join(" "),
  })
  return ok ? 0 : 1
})

const explain = (error: McpError | { readonly _tag: string; readonly message: string }) =>
  `${error._tag}${"reason" in error ? ` (${error.reason})` : ""}: ${error.message}\n`

const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" }, json: { type: "boolean" } } })
if (values.help === true) {
  process.stdout.write(help)
} else {
  const fiber = Effect.runFork(demo(Screen.make({ json: values.json === true })))
  const interrupt = () => fiber.interruptUnsafe()
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt)
  if (Exit.isSuccess(exit)) process.exitCode = exit.value
  else {
    process.exitCode = exit.cause.reasons.every(({ _tag }) => _tag === "Interrupt") ? 130 : 1
    for (const reason of exit.cause.reasons) {
      if (reason._tag === "Fail") process.stderr.write(explain(reason.error))
      if (reason._tag === "Die") process.stderr.write(`${String(reason.defect)}\n`)
    }
  }
}
