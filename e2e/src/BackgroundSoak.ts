/**
 * Random turns of both real agents that leave work behind: commands and sub-agents, with every value of `background`,
 * cancels, kills and closes. Prints what acted after the end of its turn without being listed, and what is outside of policy,
 * events and usage. Exits with 1 if there is any.
 *
 *     pnpm soak:turns [RUNS] [SEED] [FIRST]
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { McpApproval, McpEvent } from "@zain/core"
import { Effect, Exit, Fiber, Stream } from "effect"
import { place } from "./AgentServers.ts"
import * as Stories from "./BackgroundStories.ts"
import * as OwnClient from "./OwnClient.ts"
import * as OwnProcesses from "./OwnProcesses.ts"

const [runs = 20, seed = 1, first = 0] = process.argv.slice(2).map(Number)

/** How long the end of a run waits for an act that must not come, in milliseconds. */
const settling = 1_500

/** Park and Miller's generator of numbers below `max`. */
const random = (seed: number) => {
  let state = seed * 7919 + 1
  return (max: number) => {
    state = (state * 48271) % 2147483647
    return state % max
  }
}

const oneRun = Effect.fnUntraced(function* (run: number) {
  const next = random(seed * 100_000 + run)
  const pick = <A>(values: ReadonlyArray<A>) => values[next(values.length)] as A
  const teller = pick(Stories.tellers)
  const background = pick(["wait", "wait", "off", "keep"] as const)
  const act = (label: string) => `sleep ${next(15) / 10}; echo ${label} >> acts`
  const orphan = (line: string) => `setsid sh -c '${line}' >/dev/null 2>&1 &`
  const count = 2 + next(2)
  const spawning = next(count)
  const turns = Array.from({ length: count }, (_, turn) => [
    ...Array.from({ length: next(3) }, (_, at) => Stories.leave(act(`t${turn}c${at}`))),
    ...(teller.agent === "claude-code" && next(2) === 0 ? [Stories.run(orphan(act(`t${turn}o`)))] : []),
    ...(turn === spawning ? [Stories.spawn] : []),
    Stories.say(`Turn ${turn}.`),
  ])
  const sub = [pick([Stories.run, Stories.leave])(act(`t${spawning}s`)), Stories.say("I did.")]
  const at = yield* place(teller.agent, {
    ...(teller.model === undefined ? {} : { model: teller.model }),
    respond: Stories.respond({ turns, sub }, teller.tools),
  })
  const log: Array<McpApproval.McpApprovalEntry> = []
  const client = yield* OwnClient.adapter(teller.agent, { ask: () => "approve", log: (entry) => void log.push(entry) })
  const grace = background === "wait" && next(3) === 0 ? { backgroundGrace: 300 } : {}
  const id = yield* client.openSession(OwnClient.adding(OwnClient.config(at), { background, ...grace }))
  const events: Array<McpEvent> = []
  yield* Effect.forkScoped(
    Stream.runForEach(client.events(id), (event) => Effect.sync(() => events.push(event))),
    { startImmediately: true },
  )
  const acts = (): ReadonlyArray<string> => {
    try {
      return readFileSync(join(at.directory, "acts"), "utf8").trim().split("\n")
    } catch {
      return []
    }
  }
  const faults: Array<string> = []
  /** What had acted when a turn was over; `undefined` while its work may go on. */
  const over = new Map<number, ReadonlyArray<string>>()
  const did: Array<string> = []
  let tokens = 0
  let isOpen = true
  for (let turn = 0; isOpen && turn < count; turn++) {
    const what = pick(["await", "await", "await", "cancel", "kill", "close"])
    did.push(what)
    const fiber = yield* Effect.forkScoped(client.execute(id, { content: Stories.prompt(turn) }))
    if (what !== "await") yield* Effect.sleep(200 + next(2_000))
    if (what === "cancel") yield* Fiber.interrupt(fiber)
    if (what === "close") {
      yield* client.closeSession(id)
      isOpen = false
    }
    if (what === "kill") at.alive().filter(isAgent).forEach(OwnProcesses.kill)
    const exit = yield* Fiber.await(fiber)
    const now = acts()
    for (const earlier of did.keys())
      if (earlier < turn && !over.has(earlier) && background !== "keep") over.set(earlier, now)
    if (Exit.isSuccess(exit)) {
      tokens += exit.value.usage?.inputTokens ?? 0
      if (exit.value.pending === undefined) over.set(turn, now)
    }
  }
  if (isOpen) yield* client.closeSession(id)
  const last = acts()
  yield* Effect.promise(() => setTimeout(settling))
  const end = acts()
  for (const turn of did.keys()) {
    const before = over.get(turn) ?? last
    const late = end.filter((label) => label.startsWith(`t${turn}`) && !before.includes(label))
    if (late.length > 0) faults.push(`turn ${turn} acted after its end: ${late}`)
  }
  const approved = log.filter(({ decision }) => decision._tag !== "Decline").map(({ request }) => request.command ?? "")
  for (const label of end) {
    if (!approved.some((command) => command.includes(label))) faults.push(`${label} is not in the log`)
  }
  const asked = events.filter(({ _tag }) => _tag === "ApprovalAsked").length
  if (asked !== log.length) faults.push(`${asked} requests in events, ${log.length} in the log`)
  const requests = (yield* at.model.requests).length
  if (background !== "keep" && did.every((what) => what === "await") && tokens !== 10 * requests) {
    faults.push(`usage has ${tokens} tokens of ${10 * requests}`)
  }
  const left = at.alive()
  if (left.length > 0) faults.push(`left: ${JSON.stringify(left)}`)
  const name = `${run} ${teller.agent} (${teller.kind}) ${background} ${did.join(",")} acts ${end.length}`
  print(faults.length === 0 ? `ok   ${name}` : `FAIL ${name}: ${faults.join("; ")}`)
  return faults.length
}, Effect.scoped)

/** The agent's own process, not its server. */
const isAgent = ({ command }: OwnProcesses.OwnProcess) => / app-server| -p /.test(command) && !command.includes("-mcp")

const print = (line: string) => void process.stdout.write(`${line}\n`)

let failed = 0
for (let run = first; run < first + runs; run++) failed += (await Effect.runPromise(oneRun(run))) > 0 ? 1 : 0
print(`${runs} runs, ${failed} with faults`)
process.exitCode = failed > 0 ? 1 : 0
