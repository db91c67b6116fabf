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
import { McpApproval, type McpEvent } from "@zain/core"
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

const textIn = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim() : undefined)

/** One agent, from opening to closing. Returns what it did, and every process that was seen. */
const drive = Effect.fnUntraced(function* ({ config, directory, make }: Agents.Agent, screen: Screen.Screen) {
  const decisions: Array<McpApproval.McpApprovalEntry> = []
  // Its agent may write files in the directory that was made for it, and nothing else.
  const rules = [{ kind: "file-change", within: directory, answer: "approve" }] as const
  const policy = McpApproval.make({ rules, log: (entry) => void decisions.push(entry) })
  const client = yield* Effect.provideService(make, McpApproval.McpApproval, policy)
  const { provider } = client
  const word = words[randomInt(words.length)] as string
  const file = join(directory, "word.txt")

  screen.progress(provider, "opening a session")
  const { ms: opening, value: sessionId } = yield* timed(client.openSession(config))
  screen.fact({ step: "open", provider, sessionId, text: `session ${sessionId} is open`, ms: opening })

  const hear = (event: McpEvent) => {
    screen.event(provider, event)
    const decided = event._tag === "ApprovalDecided" ? decisions.at(-1) : undefined
    if (decided === undefined) return
    const { by, decision, request } = decided
    const said = decision._tag === "Decline" ? "Declined" : "Approved"
    const text = `? ${request.message}\n! ${said} by ${by === "rule" ? "a rule of the demo's" : by}`
    screen.fact({ step: "approval", provider, sessionId, request, decision, by, text })
  }
  const ask = Effect.fnUntraced(function* (prompt: string) {
    screen.prompt(provider, prompt)
    const isLast = ({ _tag }: McpEvent) => _tag === "TurnCompleted" || _tag === "TurnFailed"
    const events = Stream.takeUntil(client.events(sessionId), isLast)
    const showing = Stream.runForEach(events, (event) => Effect.sync(() => hear(event)))
    const shown = yield* Effect.forkChild(showing, { startImmediately: true })
    const { ms, value } = yield* timed(Effect.tap(client.execute(sessionId, { content: prompt }), Fiber.join(shown)))
    const { content, isError } = value
    screen.fact({ step: "execute", provider, sessionId, prompt, content, isError, text: content, ms })
    return content
  })
  yield* ask(`Remember this word: ${word}. Answer in one short sentence.`)
  const recalled = yield* ask("Which word did I ask you to remember? Answer in one short sentence.")
  yield* ask(`Write it to the file ${file}. Answer in one short sentence.`)

  const seen = Processes.descendants()
  screen.progress(provider, "closing")
  const { ms } = yield* timed(client.closeSession(sessionId))
  screen.fact({ step: "close", provider, sessionId, text: "session is closed", ms })
  return { seen, approvals: decisions.length, remembered: recalled.includes(word), wrote: textIn(file) === word }
})

const demo = Effect.fnUntraced(function* (screen: Screen.Screen) {
  const live = process.env["ZAIN_LIVE"] === "1"
  screen.note(
    live
      ? "ZAIN_LIVE=1: your own codex and claude, with your own logins."
      : "No key is needed: both agents are real, their models are scripts on 127.0.0.1. ZAIN_LIVE=1 uses your own.",
  )
  const driveAll = Effect.gen(function* () {
    const agents = yield* live ? Agents.live : Agents.scripted
    return yield* Effect.forEach(agents, (agent) => Effect.scoped(drive(agent, screen)))
  })
  const runs = yield* Effect.scoped(driveAll)
  const seen = runs.flatMap((run) => run.seen)
  const processesLeft = [...Processes.alive(seen), ...Processes.descendants()]
  const remembered = runs.every((run) => run.remembered)
  const asked = runs.every((run) => run.approvals > 0 && run.wrote)
  const ok = remembered && asked && processesLeft.length === 0
  const text = [
    remembered ? "Both agents remembered." : "An agent did not remember.",
    asked ? "Both asked before they wrote." : "An agent did not ask, or did not write.",
    processesLeft.length === 0
      ? "No process of theirs is left."
      : `Processes are left: ${processesLeft.map(({ name, pid }) => `${name} (${pid})`).join(", ")}.`,
  ].join(" ")
  screen.fact({ step: "summary", ok, remembered, asked, processesSeen: seen.length, processesLeft, text })
  return ok ? 0 : 1
})

const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" }, json: { type: "boolean" } } })
if (values.help === true) {
  process.stdout.write(help)
} else {
  const end = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end.abort())
  const exit = await Effect.runPromiseExit(demo(Screen.make(values.json === true)), { signal: end.signal })
  if (Exit.isSuccess(exit)) process.exitCode = exit.value
  else {
    process.exitCode = Exit.hasInterrupts(exit) ? 130 : 1
    for (const reason of exit.cause.reasons) {
      if (reason._tag === "Fail") {
        const { _tag, message } = reason.error
        process.stderr.write(`${_tag}${"reason" in reason.error ? ` (${reason.error.reason})` : ""}: ${message}\n`)
      }
      if (reason._tag === "Die") process.stderr.write(`${String(reason.defect)}\n`)
    }
  }
}
