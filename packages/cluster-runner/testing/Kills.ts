/**
 * Kills, ends and freezes random processes of a cluster while callers execute turns, and checks what became of every turn: the
 * program of `pnpm cluster:kills`.
 */
import { type ChildProcess, fork } from "node:child_process"
import { Console } from "node:console"
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import * as Program from "@zain/command/Program"
import { listening } from "@zain/testkit/Listening"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Postgres from "../../cluster-client/testing/Postgres.ts"
import type { Report, Settings } from "./KilledNode.ts"

/** How the shards are locked, and when a frozen runner loses them, in seconds. */
const allLocks = {
  leases: { leases: { expiry: "16 seconds", grace: "5 seconds" }, expiry: 16 },
  advisory: { leases: "advisory", expiry: 20 },
} as const

const faults = [
  ...(["runner killed", "runner ended", "runner frozen briefly", "runner frozen for longer than its lock"] as const),
  ...(["caller killed", "database stopped", "database frozen"] as const),
]
type Fault = (typeof faults)[number]

const count = OptionValue.wholeNumber(1, 999_999)
const options = {
  count: OptionTable.oneOr("N", count, 100, "the number of faults (default: 100)"),
  seed: OptionTable.oneOr("N", count, 1 + (Date.now() % 999_999), "the same faults again; their moments differ"),
  fault: OptionTable.many("NAME", OptionValue.oneOf(faults), `only this; repeatable:\n${faults.join("\n")}`),
  locks: OptionTable.oneOr("NAME", OptionValue.oneOf(["leases", "advisory"]), "leases", "leases or advisory"),
}
type Values = OptionTable.Values<typeof options>

/** How long a turn, the one before it, the expiry of locks, `acceptTimeout` and an outage may take together. */
const maxMillis = 120_000

type Turn = Omit<Report, "id"> & { readonly by: ChildProcess; readonly began: number; readonly millis: number }

const until = (isSo: () => boolean) =>
  Effect.repeat(Effect.sync(isSo), { until: (so) => so, schedule: Schedule.spaced("50 millis") })
const isEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null
const ended = (child: ChildProcess) => until(() => isEnded(child))
const signal = (child: ChildProcess, name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
const freePort = Effect.scoped(listening(() => {}))
const seconds = (from: number, to: number) =>
  Effect.flatMap(Random.nextBetween(1000 * from, 1000 * to), (millis) => Effect.sleep(millis))

/** The processes that have a text in their arguments, or work in the directory of that name. Linux only. */
const processesOf = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8"), readlinkSync(`/proc/${pid}/cwd`)].join().includes(text)
    } catch {
      return false
    }
  })

/** Starts a PostgreSQL, three runners and three callers as processes, which end with the Scope. */
const start = Effect.fnUntraced(function* ({ locks, seed }: Values, folder: string) {
  const { expiry, leases } = allLocks[locks]
  const postgres = yield* Postgres.make()
  const database = Redacted.value(yield* postgres.database)
  const prompts = join(folder, "prompts")
  writeFileSync(prompts, "")
  const scope = yield* Effect.scope
  const turns = new Map<string, Turn>()
  const answered = new Set<ChildProcess>()
  let processes = 0
  const start = Effect.fnUntraced(function* (port?: number) {
    const program = fileURLToPath(new URL("KilledNode.ts", import.meta.url))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(program, [folder], { stdio: ["ignore", "ignore", "ignore", "ipc"] })),
      (child) => Effect.andThen(signal(child, "SIGKILL"), ended(child)),
    )
    child.on("error", () => {})
    child.on("message", ({ id, ...outcome }: Report) => {
      const { began = performance.now() } = turns.get(id) ?? {}
      turns.set(id, { ...outcome, by: child, began, millis: performance.now() - began })
      if (outcome.outcome === "answered") answered.add(child)
    })
    child.send({ database, leases, port, prompts, seed: `${seed} ${processes++}` } satisfies Settings)
    return { child, port }
  })
  const node = (port?: number) => Scope.provide(start(port), scope)
  const runner = Effect.flatMap(freePort, node)
  const runners = yield* Effect.all([runner, runner, runner])
  const callers = yield* Effect.all([node(), node(), node()])
  const isServed = () => callers.every(({ child }) => answered.has(child))
  yield* Effect.timeoutOption(until(isServed), maxMillis)

  /** Ends one of the nodes, and starts another, at once or later, with the same port or another one. */
  const replace = Effect.fnUntraced(function* (nodes: typeof runners, name: NodeJS.Signals) {
    const old = yield* Random.choice(nodes)
    yield* Effect.andThen(signal(old.child, name), ended(old.child))
    for (const [id, turn] of turns)
      if (turn.by === old.child) turns.set(id, { ...turn, outcome: turn.outcome ?? "caller killed" })
    yield* seconds(0, 3)
    const isMoved = old.port !== undefined && (yield* Random.nextBoolean)
    nodes[nodes.indexOf(old)] = yield* node(isMoved ? yield* freePort : old.port)
  })
  const freeze = Effect.fnUntraced(function* (from: number, to: number) {
    const { child } = yield* Random.choice(runners)
    yield* Effect.andThen(signal(child, "SIGSTOP"), seconds(from, to))
    yield* signal(child, "SIGCONT")
  })
  const actions: Readonly<Record<Fault, Effect.Effect<void, Postgres.PostgresError>>> = {
    "runner killed": replace(runners, "SIGKILL"),
    "runner ended": replace(runners, "SIGTERM"),
    "runner frozen briefly": freeze(1, expiry / 2),
    "runner frozen for longer than its lock": freeze(expiry + 2, expiry + 6),
    "caller killed": replace(callers, "SIGKILL"),
    "database stopped": Effect.andThen(Effect.andThen(postgres.stop, seconds(1, 15)), postgres.start),
    "database frozen": Effect.andThen(Effect.andThen(postgres.freeze, seconds(1, 15)), postgres.thaw),
  }

  /** Performs a fault, and waits until its turns have ended, and every caller has an answer. */
  const perform = Effect.fnUntraced(function* (fault: Fault) {
    const before = [...turns].flatMap(([id, { outcome }]) => (outcome === undefined ? [id] : []))
    const first = turns.size
    yield* actions[fault]
    const ids = [...before, ...[...turns.keys()].slice(first)]
    answered.clear()
    const own = () => ids.flatMap((id) => turns.get(id) ?? [])
    const isOver = () => isServed() && own().every(({ outcome }) => outcome !== undefined)
    yield* Effect.timeoutOption(until(isOver), maxMillis)
    const violations = [
      ...callers.flatMap(({ child }) => (answered.has(child) ? [] : ["a caller had no answer"])),
      ...runners.flatMap(({ child }) => (isEnded(child) ? [`a runner ended by itself: ${child.exitCode}`] : [])),
      ...own().flatMap(({ millis, outcome = "no end" }) =>
        millis > maxMillis || /^no end|^another/.test(outcome) ? [`${outcome}, ${Math.round(millis)} ms`] : [],
      ),
    ]
    return { fault, turns: own(), violations }
  })
  /** What the log of prompts must not have. */
  const broken = () => {
    const ids = readFileSync(prompts, "utf8").split("\n").slice(0, -1)
    const isNotSent = (id: string) => turns.get(id)?.outcome?.endsWith("not-sent") === true
    return [
      ...ids.filter((id, at) => ids.indexOf(id) < at).map((id) => `prompt ${id} ran twice`),
      ...ids.filter(isNotSent).map((id) => `prompt ${id} ran, although it had failed with not-sent`),
    ]
  }
  const data = readlinkSync(`/proc/${processesOf(`port=${new URL(database).port}`)[0]}/cwd`)
  return { perform, broken, data }
})
type Event = Effect.Success<ReturnType<Effect.Success<ReturnType<typeof start>>["perform"]>>

/** A line of the table: how many turns had each outcome, and their times in seconds. */
const row = ([name, events = []]: readonly [string, ReadonlyArray<Event> | undefined]) => {
  const turns = events.flatMap((event) => event.turns)
  const times = turns.map(({ millis }) => millis).sort((a, b) => a - b)
  const at = (part: number) => Math.round((times[Math.floor(part * (times.length - 1))] ?? 0) / 100) / 10
  const outcomes = Object.entries(Object.groupBy(turns, ({ outcome = "no end" }) => outcome))
  const counts = outcomes.map(([outcome, all]) => `${all?.length} ${outcome}`).join(", ")
  return { name, events: events.length, turns: turns.length, p50: at(0.5), worst: at(1), outcomes: counts }
}

const run = Effect.fnUntraced(function* (values: Values) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "zain-kills-")))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  )
  const chosen = faults.filter((fault) => values.fault.length === 0 || values.fault.includes(fault))
  const events: Array<Event> = []
  const { broken, data } = yield* Effect.gen(function* () {
    const cluster = yield* start(values, folder)
    while (events.length < values.count) {
      for (const fault of (yield* Random.shuffle(chosen)).slice(0, values.count - events.length)) {
        yield* seconds(0.2, 2)
        const event = yield* cluster.perform(fault)
        process.stderr.write([`${events.push(event)}/${values.count} ${fault}`, ...event.violations, ""].join("\n"))
      }
    }
    return cluster
  }).pipe(Effect.scoped, Random.withSeed(`${values.seed}`))
  const left = [folder, data].flatMap(processesOf).map((pid) => `process ${pid} is left`)
  const violations = [...events.flatMap((event) => event.violations), ...broken(), ...left]
  new Console(process.stdout).table(Object.entries(Object.groupBy(events, ({ fault }) => fault)).map(row))
  process.stdout.write([...violations, `seed ${values.seed}: ${violations.length} violations\n`].join("\n"))
  return violations.length === 0 ? 0 : 1
})

const help = `Kills runners, callers and the database of a cluster at random, and checks that no prompt ran twice, that none ran whose
execute had failed with not-sent, that every execute ended in bounded time, and that no process is left. Exit code: 0 if so, else 1.

${OptionTable.help(options)}
`
const parsed = OptionTable.parse(process.argv.slice(2), options)
if (Result.isFailure(parsed)) Program.refuse("cluster:kills", parsed.failure, 2)
else if (typeof parsed.success === "string") Program.exit(0, help)
else Program.run("cluster:kills", run(parsed.success.values))
