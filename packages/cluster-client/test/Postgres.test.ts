/** The server that the tests and the demonstration start. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { expect } from "vitest"
import * as Postgres from "../testing/Postgres.ts"

const query = <A extends object>(url: Redacted.Redacted, text: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<A>(text)).pipe(
    Effect.provide(PgClient.layer({ url, maxConnections: 1, connectTimeout: "2 seconds" }), { local: true }),
  )

const dataDirectory = (url: Redacted.Redacted) =>
  Effect.map(query<{ data_directory: string }>(url, "SHOW data_directory"), ([row]) => row?.data_directory ?? "")

/** The argument vectors of this user's and the server's processes that contain the text. */
const argumentsWith = (text: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
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
    expect(argumentsWith(password)).toEqual([])
    expect(argumentsWith(data)).not.toEqual([])
    expect(spawnSync("grep", ["-rlF", password, data]).stdout.toString()).toBe("")
    yield* Fiber.interrupt(owner)
    expect([argumentsWith(data), existsSync(data)]).toEqual([[], false])
  },
)
