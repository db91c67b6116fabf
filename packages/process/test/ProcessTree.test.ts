import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ProcessTable from "../src/ProcessTable.ts"
import * as ProcessTree from "../src/ProcessTree.ts"

const entry = (pid: number, group: number, mark?: string): ProcessTable.Entry => ({
  pid,
  parent: 1,
  group,
  mark,
  isBare: mark === undefined,
})

describe.runIf(process.platform === "linux")("ProcessTree.members (promise 11)", () => {
  it("returns a process without an environment until its process group is empty", () => {
    const tree = ProcessTree.make(undefined, "mark")
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(10, 10, "mark"), entry(11, 10)]), [10, 11])
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(11, 10)]), [11])
    assert.deepStrictEqual(ProcessTree.members(tree, []), [])
    // The id of the group has been reused.
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(10, 10)]), [])
  })
})

describe.runIf(process.platform === "linux")("ProcessTable (promise 11)", () => {
  it.live("reads the mark of a process that executes another program after it was read", () =>
    Effect.gen(function* () {
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sh", ["-c", "read -r _; exec env ZAIN_OWNER=later sleep 60"], { env: process.env })),
        (child) => Effect.sync(() => child.kill("SIGKILL")),
      )
      const found = Effect.map(ProcessTable.scan(), (table) => table.find(({ pid }) => pid === child.pid))
      const runs = (program: string) =>
        Effect.suspend(() => Effect.succeed(readFileSync(`/proc/${child.pid}/cmdline`, "utf8").startsWith(program)))
      yield* Effect.repeat(Effect.yieldNow, { until: () => runs("sh\0") })
      const { mark: inherited } = { ...(yield* found) }
      assert.notStrictEqual(inherited, "later")
      child.stdin.write("\n")
      yield* Effect.repeat(Effect.sleep(2), { until: () => runs("sleep\0") })
      assert.deepInclude(yield* found, { parent: process.pid, mark: "later" })
    }),
  )

  it.live("leaves out only what an earlier reading has seen before the searched processes began", () =>
    Effect.gen(function* () {
      const start = Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["60"])),
        (child) => Effect.sync(() => child.kill("SIGKILL")),
      )
      const seen = yield* start
      yield* ProcessTable.scan()
      const unseen = yield* start
      const since = performance.now()
      const started = yield* start
      const both = [ProcessTable.scan(since), ProcessTable.scan()]
      const has = (table: ProcessTable.ProcessTable | undefined) =>
        [seen, unseen, started].map((child) => table?.some(({ pid }) => pid === child.pid))
      assert.deepStrictEqual(has(yield* ProcessTable.scan(since)), [false, true, true])
      // A shared reading looks for the processes of all.
      assert.deepStrictEqual((yield* Effect.all(both, { concurrency: 2 })).map(has), [
        [true, true, true],
        [true, true, true],
      ])
    }),
  )

  it.live("shares one reading between those that ask in the same turn of the event loop", () =>
    Effect.gen(function* () {
      const [one, other, later] = yield* Effect.all(
        [ProcessTable.scan(), ProcessTable.scan(), Effect.andThen(Effect.sleep(0), ProcessTable.scan())],
        { concurrency: 3 },
      )
      assert.strictEqual(one, other)
      assert.notStrictEqual(one, later)
    }),
  )
})
