/**
 * Kills, ends and freezes random processes of a cluster while callers execute turns, and checks what became of every turn: the
 * program of `pnpm cluster:kills`.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Program from "@zain/command/Program"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { Event, Fault, Locks } from "./KilledCluster.ts"
import * as KilledCluster from "./KilledCluster.ts"
import * as KillsTable from "./KillsTable.ts"

const help = `Kills runners, callers and the database of a cluster at random, and checks that no prompt ran twice, that none ran whose
execute had failed with not-sent, that every execute ended in bounded time, and that no process is left.

  pnpm cluster:kills                  200 events, half of them with leases and half with advisory locks; takes about half an hour
  pnpm cluster:kills --count N
  pnpm cluster:kills --minutes N      begins no event later
  pnpm cluster:kills --seed N         the same events; their moments differ
  pnpm cluster:kills --fault NAME     this fault only; may be given again: ${KilledCluster.faults.join(", ")}
  pnpm cluster:kills --locks NAME     with leases or advisory locks only
  pnpm cluster:kills --log FILE       appends what the processes log
  pnpm cluster:kills --mutant         with a ledger that lets every turn begin: it must fail
  pnpm cluster:kills --json           prints one JSON object

Exit code: 0 without a violation, 1 otherwise, 2 when the command line is wrong.
`

const parsed = () => {
  const string = { type: "string" } as const
  const [flag, many] = [{ type: "boolean", default: false } as const, { type: "string", multiple: true } as const]
  const { values } = parseArgs({
    options: {
      ...{
        count: { ...string, default: "200" },
        minutes: { ...string, default: "600" },
        seed: { ...string, default: `${Date.now() % 1_000_000}` },
        log: string,
      },
      ...{
        fault: { ...many, default: [...KilledCluster.faults] },
        locks: { ...many, default: ["leases", "advisory"] },
      },
      ...{ mutant: flag, json: flag, help: flag },
    },
  })
  for (const name of ["count", "minutes", "seed"] as const)
    if (!/^\d{1,8}$/.test(values[name])) throw new Error(`Unexpected --${name} \`${values[name]}\`; expected a number.`)
  const faults = KilledCluster.faults.filter((name) => values.fault.includes(name))
  const locks = (["leases", "advisory"] as const).filter((name) => values.locks.includes(name))
  if (faults.length < new Set(values.fault).size) throw new Error("Unknown --fault. See --help for the names.")
  if (locks.length < new Set(values.locks).size) throw new Error("Unknown --locks; expected leases or advisory.")
  return { ...values, count: Number(values.count), faults, locks }
}
type Options = ReturnType<typeof parsed>

/** The logs and conversations of a run, whose path the nodes have in their arguments. */
const directory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "zain-kills-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

/** The events of one cluster. */
const events = Effect.fnUntraced(function* (options: Options, locks: Locks, count: number, base: string) {
  const folder = mkdtempSync(join(base, `${locks}-`))
  writeFileSync(join(folder, "prompts"), "")
  const { log, mutant: isMutant } = options
  const cluster = yield* KilledCluster.make({ folder, isMutant, locks, log, seed: `${options.seed} ${locks}` })
  const done: Array<Event> = []
  let bag: ReadonlyArray<Fault> = []
  const end = performance.now() + 60_000 * Number(options.minutes)
  while (done.length < count && performance.now() < end) {
    if (bag.length === 0) bag = yield* Random.shuffle(options.faults)
    const [fault, ...rest] = bag as readonly [Fault, ...ReadonlyArray<Fault>]
    bag = rest
    yield* Effect.flatMap(Random.nextIntBetween(200, 2_000), Effect.sleep)
    const event = yield* cluster.perform(fault)
    done.push(event)
    process.stderr.write(`${locks} ${done.length}/${count}  ${KillsTable.line(event)}\n`)
  }
  return { done, ...cluster }
})

const run = Effect.fnUntraced(function* (options: Options) {
  const base = yield* directory
  const began = performance.now()
  const clusters = yield* Effect.scoped(
    Effect.forEach(
      options.locks,
      (locks, at) => {
        const count = Math.floor((options.count + options.locks.length - 1 - at) / options.locks.length)
        return Random.withSeed(events(options, locks, count, base), `${options.seed} ${locks}`)
      },
      { concurrency: "unbounded" },
    ),
  )
  const left = [base, ...clusters.map(({ data }) => data)].flatMap(KilledCluster.processesOf)
  const done = clusters.flatMap((cluster) => cluster.done)
  const violations = [
    ...done.flatMap(({ fault, locks, violations }) => violations.map((what) => `${fault} (${locks}): ${what}`)),
    ...clusters.flatMap(({ broken }) => broken()),
    ...left.map((pid) => `process ${pid} is left`),
  ]
  const summary = { seed: options.seed, seconds: Math.round((performance.now() - began) / 1000), violations }
  const rows = KillsTable.rows(done)
  process.stdout.write(options.json ? `${JSON.stringify({ ...summary, rows })}\n` : KillsTable.write(rows, summary))
  return violations.length === 0 ? 0 : 1
})

try {
  const options = parsed()
  if (options.help) process.stdout.write(help)
  else Program.run("cluster:kills", run(options))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${help}`)
  process.exitCode = 2
}
