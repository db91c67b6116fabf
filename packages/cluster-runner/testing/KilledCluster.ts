/**
 * A PostgreSQL, three runners and several callers as processes, and the faults of `pnpm cluster:kills`.
 */
import { type ChildProcess, fork } from "node:child_process"
import { openSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Leases } from "@zain/cluster-client/Leases"
import { listening } from "@zain/testkit/Listening"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Postgres from "../../cluster-client/testing/Postgres.ts"
import type { Kind, Report, Settings } from "./KilledNode.ts"

/** How the shards of a cluster are locked, and when a frozen runner loses them, in seconds. */
const allLocks = {
  leases: { leases: { expiry: "16 seconds", grace: "5 seconds" } satisfies Leases, expiry: 16 },
  advisory: { leases: "advisory", expiry: 20 },
} as const

/** `leases` or `advisory`. */
export type Locks = keyof typeof allLocks

/** The faults. */
export const faults = [
  "runner killed",
  "runner ended by SIGTERM",
  "runner frozen briefly",
  "runner frozen for longer than its lock",
  "caller killed",
  "database stopped",
  "database frozen",
] as const
export type Fault = (typeof faults)[number]

/** What became of one turn. */
export interface Turn {
  readonly kind: Kind
  readonly began: number
  readonly outcome?: string | undefined
  readonly millis?: number | undefined
}

/** What one fault did: its turns, which were under way or began before its end, and what must not be. */
export interface Event {
  readonly fault: Fault
  readonly locks: Locks
  readonly turns: ReadonlyArray<Turn>
  readonly violations: ReadonlyArray<string>
  /** From the fault until its turns had ended, all runners were there, and every caller had an answer. */
  readonly millis: number
}

/** How long an `execute` may take, in milliseconds: its turn, the expiry of locks, `acceptTimeout`, and an outage. */
const maxTurnMillis = 60_000
/** A turn that waits has the one before it to wait for. */
const maxMillis = (kind: Kind) => (kind === "waiting" ? 2 : 1) * maxTurnMillis

const program = fileURLToPath(new URL("KilledNode.ts", import.meta.url))
const until = (isSo: () => boolean) =>
  Effect.repeat(Effect.sync(isSo), { until: (so) => so, schedule: Schedule.spaced("50 millis") })

/** A cluster's options. */
export interface Options extends Pick<Settings, "folder" | "isMutant" | "seed"> {
  readonly locks: Locks
  /** A file for what the processes log; by default it is lost. */
  readonly log: string | undefined
}

/** Starts the processes, which end with the Scope. */
export const make = Effect.fnUntraced(function* ({ folder, isMutant, locks, log, seed }: Options) {
  const { expiry, leases } = allLocks[locks]
  const postgres = yield* Postgres.make()
  const database = Redacted.value(yield* postgres.database)
  /** Where the processes of PostgreSQL work. */
  const data = readlinkSync(`/proc/${processesOf(`port=${new URL(database).port}`)[0]}/cwd`)
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const scope = yield* Effect.scope
  const stderr = log === undefined ? "ignore" : openSync(log, "a")

  const turns = new Map<string, Turn & { readonly by: ChildProcess }>()
  const notSent = new Set<string>()
  const answered = new Set<ChildProcess>()
  const receive = (by: ChildProcess, message: Report) => {
    if (message._tag === "Began") turns.set(message.id, { kind: message.kind, began: now(), by })
    const turn = message._tag === "Ended" ? turns.get(message.id) : undefined
    if (message._tag !== "Ended" || turn === undefined) return
    turns.set(message.id, { ...turn, outcome: message.outcome, millis: now() - turn.began })
    if (message.outcome === "answered") answered.add(by)
    if (message.isNotSent) notSent.add(message.id)
  }

  let processes = 0
  const startIn = Effect.fnUntraced(function* (port?: number) {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(program, [folder], { stdio: ["ignore", "ignore", stderr, "ipc"] })),
      (child) => Effect.andThen(signal(child, "SIGKILL"), ended(child)),
    )
    let isJoined = port === undefined
    child.on("error", () => {})
    child.on("message", (message: Report) => {
      if (message._tag === "Joined") isJoined = true
      receive(child, message)
    })
    const own = port === undefined ? {} : { port }
    child.send({ database, leases, folder, isMutant, seed: `${seed} ${processes++}`, ...own } satisfies Settings)
    yield* until(() => isJoined || isEnded(child))
    return { child, port }
  })
  const start = (port?: number) => Scope.provide(startIn(port), scope)
  const startRunner = Effect.flatMap(freePort, start)
  const runners = yield* Effect.all([startRunner, startRunner, startRunner], { concurrency: "unbounded" })
  const callers = yield* Effect.all([start(), start(), start()], { concurrency: "unbounded" })
  const isServed = () => callers.every(({ child }) => answered.has(child))
  yield* Effect.timeoutOption(until(isServed), maxTurnMillis)

  /** Ends one of the nodes, and starts another, at once or later, with the same port or another one. */
  const replace = (nodes: typeof runners, name: NodeJS.Signals) =>
    Effect.gen(function* () {
      const at = yield* Random.nextIntBetween(0, nodes.length, { halfOpen: true })
      const { child, port } = nodes[at] as (typeof runners)[number]
      yield* Effect.andThen(signal(child, name), ended(child))
      if (port === undefined) for (const [id, turn] of turns) if (turn.by === child) settle(id, turn)
      yield* seconds(0, 3)
      const other = port !== undefined && (yield* Random.nextBoolean) ? yield* freePort : port
      nodes[at] = yield* start(other)
    })
  const settle = (id: string, turn: Turn & { readonly by: ChildProcess }) =>
    turn.outcome === undefined && turns.set(id, { ...turn, outcome: "caller killed", millis: 0 })
  const freeze = (least: number, most: number) =>
    Effect.gen(function* () {
      const { child } = yield* Random.choice(runners)
      yield* signal(child, "SIGSTOP")
      yield* seconds(least, most)
      yield* signal(child, "SIGCONT")
    })
  const actions: Readonly<Record<Fault, Effect.Effect<void, Postgres.PostgresError>>> = {
    "runner killed": replace(runners, "SIGKILL"),
    "runner ended by SIGTERM": replace(runners, "SIGTERM"),
    "runner frozen briefly": freeze(1, expiry / 2),
    "runner frozen for longer than its lock": freeze(expiry + 2, expiry + 6),
    "caller killed": replace(callers, "SIGKILL"),
    "database stopped": Effect.andThen(Effect.andThen(postgres.stop, seconds(1, 15)), postgres.start),
    "database frozen": Effect.andThen(Effect.andThen(postgres.freeze, seconds(1, 15)), postgres.thaw),
  }

  const known = new Set<string>()
  /** What the log of prompts must not have, since the last call. */
  const broken = (): ReadonlyArray<string> => {
    const prompts = readFileSync(join(folder, "prompts"), "utf8")
      .split("\n")
      .filter((id) => id !== "")
    const found = prompts.flatMap((id, at) => [
      ...(prompts.indexOf(id) < at ? [`prompt ${id} ran twice`] : []),
      ...(notSent.has(id) ? [`prompt ${id} ran, although its execute had failed with not-sent`] : []),
    ])
    const fresh = found.filter((violation) => !known.has(violation))
    for (const violation of fresh) known.add(violation)
    return fresh
  }

  /** Performs a fault, and waits until all its turns have ended, all runners are there, and every caller has an answer. */
  const perform = Effect.fnUntraced(function* (fault: Fault) {
    const before = [...turns].flatMap(([id, turn]) => (isOver(turn) ? [] : [id]))
    const [first, began] = [turns.size, now()]
    yield* actions[fault]
    const ids = [...before, ...[...turns.keys()].slice(first)]
    answered.clear()
    const own = () => ids.map((id) => turns.get(id) as Turn)
    yield* Effect.timeoutOption(
      until(() => isServed() && own().every(isOver)),
      2 * maxTurnMillis,
    )
    const violations = [
      ...broken(),
      ...(isServed() ? [] : [`a caller had no answer for ${(2 * maxTurnMillis) / 1000} s`]),
      ...own().flatMap((turn) => slow(turn) ?? []),
    ]
    for (const [at, { child, port }] of runners.entries()) {
      if (!isEnded(child)) continue
      violations.push(`a runner ended by itself with exit code ${child.exitCode}`)
      runners[at] = yield* start(port)
    }
    const event: Event = {
      fault,
      locks,
      turns: own().map(({ began, kind, millis, outcome }) => ({ began, kind, millis, outcome })),
      violations,
      millis: now() - began,
    }
    return event
  })
  return { perform, broken, data }
})

/** The processes that have a text in their arguments, or work in the directory of that name. Linux only. */
export const processesOf = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8"), readlinkSync(`/proc/${pid}/cwd`)].join().includes(text)
    } catch {
      return false
    }
  })

const isOver = ({ outcome }: Turn) => outcome !== undefined
const slow = ({ kind, millis, outcome }: Turn) => {
  if (outcome === "another turn's answer") return `a turn had ${outcome}`
  if (millis === undefined) return `an execute (${kind}) did not end`
  return millis > maxMillis(kind) ? `an execute (${kind}) took ${Math.round(millis / 1000)} s` : undefined
}
const isEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null
const ended = (child: ChildProcess) => until(() => isEnded(child))
const signal = (child: ChildProcess, name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
const freePort = Effect.scoped(listening(() => {}))
const seconds = (least: number, most: number) =>
  Effect.flatMap(Random.nextBetween(1000 * least, 1000 * most), Effect.sleep)
