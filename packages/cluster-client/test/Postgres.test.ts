/** The server that the tests and the demonstration start. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { soon } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { expect } from "vitest"
import * as Postgres from "../testing/Postgres.ts"

const query = <A extends object>(url: Redacted.Redacted, text: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<A>(text)).pipe(
    Effect.provide(PgClient.layer({ url, maxConnections: 1, connectTimeout: "2 seconds" }), { local: true }),
  )

const dataDirectory = (url: Redacted.Redacted) =>
  Effect.map(query<{ data_directory: string }>(url, "SHOW data_directory"), ([row]) => row?.data_directory ?? "")

/** The processes that have the text in their arguments, or work in the directory of that name. */
const processesOf = (text: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8"), readlinkSync(`/proc/${pid}/cwd`)].join().includes(text)
    } catch {
      return false
    }
  })

test.live(
  "the data outlive a stop and a start, databases are apart, and a frozen server answers after it thaws",
  function* () {
    const postgres = yield* Postgres.make()
    const [one, two] = [yield* postgres.database, yield* postgres.database]
    yield* query(one, "CREATE TABLE kept (n int)")
    yield* postgres.stop
    expect((yield* Effect.exit(query(one, "SELECT 1")))._tag).toBe("Failure")
    yield* postgres.start
    expect(yield* query(one, "SELECT count(*)::int AS n FROM kept")).toEqual([{ n: 0 }])
    expect((yield* Effect.exit(query(two, "SELECT FROM kept")))._tag).toBe("Failure")
    yield* postgres.freeze
    const frozen = yield* Effect.forkChild(Effect.exit(query(one, "SELECT 2")))
    expect((yield* Fiber.join(frozen))._tag).toBe("Failure")
    yield* postgres.thaw
    expect(yield* query(two, "SELECT 3 AS n")).toEqual([{ n: 3 }])
  },
)

test.live(
  "the password is in no argument vector and no file, and an interrupted owner leaves no process and no data",
  function* () {
    const started = Promise.withResolvers<Redacted.Redacted>()
    const owner = yield* Effect.forkChild(
      Effect.scoped(
        Effect.gen(function* () {
          started.resolve(yield* (yield* Postgres.make()).database)
          yield* Effect.never
        }),
      ),
    )
    const url = yield* Effect.promise(() => started.promise)
    const data = yield* dataDirectory(url)
    const { password } = new URL(Redacted.value(url))
    expect(processesOf(password)).toEqual([])
    expect(processesOf(data)).not.toEqual([])
    expect(spawnSync("grep", ["-rlF", password, data]).stdout.toString()).toBe("")
    yield* Fiber.interrupt(owner)
    expect([processesOf(data), existsSync(data)]).toEqual([[], false])
  },
)

const program = `
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Postgres from "${new URL("../testing/Postgres.ts", import.meta.url)}"
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const server = yield* Postgres.make()
  const { port } = new URL(Redacted.value(yield* server.database))
  yield* server.freeze
  console.log(port)
  yield* Effect.never
})))`

test.live("an owner that is killed while its server is frozen leaves no process and no data", function* () {
  const owner = spawn(process.execPath, ["--conditions=zain-source", "--input-type=module", "--eval", program], {
    cwd: new URL("..", import.meta.url),
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [line] = yield* Effect.promise(() => once(owner.stdout, "data"))
  const [postmaster] = processesOf(`port=${String(line).trim()}`)
  const data = readlinkSync(`/proc/${postmaster}/cwd`)
  expect(processesOf(data).length).toBeGreaterThan(2)
  owner.kill("SIGKILL")
  const isOver = () => processesOf(data).length === 0 && !existsSync(data)
  yield* soon(Effect.repeat(Effect.sync(isOver), { until: (so) => so, schedule: Schedule.spaced("50 millis") }))
})
