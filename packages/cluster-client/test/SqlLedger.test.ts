import { inspect } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { test } from "@zain/testkit/Test"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import * as Database from "../src/Database.ts"
import * as SqlLedger from "../src/SqlLedger.ts"
import { suite } from "../testing/LedgerSuite.ts"
import * as SharedPostgres from "../testing/SharedPostgres.ts"

const server = SharedPostgres.make()

suite(
  test.live,
  "the ledger in PostgreSQL",
  Effect.gen(function* () {
    const context = yield* Layer.build(PgClient.layer({ url: yield* (yield* server).database, maxConnections: 8 }))
    const shift = Effect.fnUntraced(function* (time: Duration.Duration) {
      const sql = yield* SqlClient.SqlClient
      const seconds = Duration.toSeconds(time)
      yield* sql`UPDATE zain_sessions SET used_at = used_at - make_interval(secs => ${seconds})`
      yield* sql`UPDATE zain_turns SET changed_at = changed_at - make_interval(secs => ${seconds})`
    })
    const ledger = yield* Effect.provideContext(SqlLedger.make, context)
    return { ledger, age: (time) => Effect.provideContext(shift(time), context) }
  }),
)

/** Runs with a database of this machine, by the connections that runners and callers have. */
const using = <A, E>(url: Redacted.Redacted, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(use, Database.layer(url), { local: true })

const tables = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))

test.live("of processes that start at once over an empty database each has its ledger", function* () {
  const url = yield* (yield* server).database
  const starts = Array.from({ length: 10 }, () => using(url, SqlLedger.make))
  const ledgers = yield* Effect.all(starts, { concurrency: "unbounded" })
  expect(ledgers).toHaveLength(10)
})

test.live.each([
  ["COMMENT ON TABLE zain_sessions IS 'zain 0'", "is older than this version of Zain: 0, not 1"],
  ["COMMENT ON TABLE zain_sessions IS 'zain 2'", "is newer than this version of Zain: 2, not 1"],
  ["COMMENT ON TABLE zain_sessions IS NULL", "has no version"],
])("a schema of another version is an error that names both", function* ([change, message]) {
  const url = yield* (yield* server).database
  yield* using(url, Effect.andThen(SqlLedger.make, tables(change ?? "")))
  const error = yield* Effect.flip(using(url, SqlLedger.make))
  expect(error).toMatchObject({
    _tag: "LedgerError",
    reason: "schema",
    message: expect.stringContaining(message ?? ""),
  })
})

test.live("a table that another program has changed is an error of the schema", function* () {
  const url = yield* (yield* server).database
  const use = Effect.gen(function* () {
    const ledger = yield* SqlLedger.make
    yield* tables("ALTER TABLE zain_turns DROP COLUMN answer")
    yield* ledger.withdraw("s", "k")
    return yield* Effect.flip(ledger.withdraw("s", "k"))
  })
  expect(yield* using(url, use)).toMatchObject({ reason: "schema" })
})

test.live.each([
  [{ password: "s3cret-wrong" }, "unauthorized", "PostgreSQL rejected the credentials."],
  [{ pathname: "/s3cret-missing" }, "unavailable", "PostgreSQL has no database of the name"],
  [{ port: "1" }, "unavailable", "Could not reach PostgreSQL: connection refused."],
  [{ hostname: "s3cret.invalid" }, "unavailable", "Could not reach PostgreSQL: host not found."],
  [{ search: "sslmode=require" }, "unavailable", "Could not reach PostgreSQL: the server has no TLS."],
  [{ search: "sslmode=s3cret" }, "invalid-url", "The database URL is invalid."],
] as const)(
  "a wrong URL of the database is an error that says what is wrong, without the URL",
  function* ([change, reason, message]) {
    const url = new URL(Redacted.value(yield* (yield* server).database))
    const { password } = url
    Object.assign(url, change)
    const error = yield* Effect.flip(using(Redacted.make(url.href), SqlLedger.make))
    expect(error).toMatchObject({
      _tag: "LedgerError",
      reason,
      message: expect.stringContaining(message),
    })
    for (const secret of [password, "s3cret"]) {
      expect(`${error.message} ${JSON.stringify(error)} ${inspect(error, { depth: 9 })}`).not.toContain(secret)
    }
  },
)

test("a clock that differs by five minutes is an error that names the difference", function* () {
  const url = yield* (yield* server).database
  yield* TestClock.setTime(Date.now() + 300_000)
  const error = yield* Effect.flip(using(url, SqlLedger.make))
  expect(error.message).toMatch(
    /^The clock of this machine is (4m 5\d|5m( \ds)?).* ahead of the database's. Synchronise/,
  )
})

test.live("an operation fails in bounded time while the database is frozen, and works once it thaws", function* () {
  const postgres = yield* server
  const url = yield* postgres.database
  const use = Effect.gen(function* () {
    const ledger = yield* SqlLedger.make
    yield* postgres.freeze
    const errors = yield* Effect.forEach(["k", "l"], (key) => Effect.flip(ledger.withdraw("s", key)), {
      concurrency: 2,
    })
    yield* postgres.thaw
    const after = yield* Effect.forEach(["k", "l"], (key) => ledger.withdraw("s", key))
    return [...errors.map(({ message }) => message), ...after.map(({ _tag }) => _tag)]
  })
  const late = "Could not reach PostgreSQL: timed out after 5s. Check that it runs at the address of the database URL."
  expect(yield* Effect.ensuring(using(url, use), postgres.thaw)).toEqual([late, late, "Withdrawn", "Withdrawn"])
})

test.live("an answer that comes while the database is away is stored once it is back", function* () {
  const postgres = yield* server
  const use = Effect.gen(function* () {
    const ledger = yield* SqlLedger.make
    yield* ledger.claim({ session: "s", owner: "ann", agent: "codex", runner: "r1" })
    yield* ledger.begin({ session: "s", epoch: 1, key: "k" })
    yield* postgres.stop
    const finish = yield* Effect.forkChild(ledger.finish({ session: "s", epoch: 1, key: "k" }, "late"))
    expect(yield* Effect.flip(ledger.withdraw("s", "k"))).toMatchObject({ reason: "unavailable" })
    yield* postgres.start
    yield* Fiber.join(finish)
    return yield* ledger.withdraw("s", "k")
  })
  expect(yield* using(yield* postgres.database, use)).toEqual({ _tag: "Done", answer: "late" })
})
