/**
 * The ledger in PostgreSQL: two tables, `zain_sessions` and `zain_turns`. Time is the database's, so that it does not matter
 * whose clock is wrong.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import { bounded, schemaError } from "./Database.ts"
import { type Known, Ledger, type LedgerError } from "./Ledger.ts"

/** The version of the tables, which is the comment of `zain_sessions`. */
const version = 1

interface TurnRow {
  readonly state: "begun" | "done" | "withdrawn"
  readonly answer: string | null
  readonly current: boolean
}

/** For a minute, with pauses from 100 ms to 2 s. */
const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ duration: "1 minute" }),
)

/**
 * Makes the tables if they are absent, and the ledger over them.
 *
 * @returns the ledger; fails with `LedgerError`, `schema`, if the tables have another version
 */
export const make: Effect.Effect<Ledger, LedgerError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* prepare(sql)

  const claim: Ledger["claim"] = (claimant) =>
    Effect.gen(function* () {
      const { agent, owner, runner, session } = claimant
      const [row] = yield* bounded(sql<{ epoch: number; thread_id: string | null; has_turns: boolean }>`
        INSERT INTO zain_sessions AS s (id, owner, agent, runner) VALUES (${session}, ${owner}, ${agent}, ${runner})
        ON CONFLICT (id) DO UPDATE SET epoch = s.epoch + 1, runner = EXCLUDED.runner, used_at = now()
        WHERE s.owner = EXCLUDED.owner AND NOT s.closed
        RETURNING epoch, thread_id, has_turns`)
      if (row !== undefined) {
        const { epoch, has_turns: hasTurns, thread_id: threadId } = row
        return { _tag: "Claimed", epoch, hasTurns, ...(threadId === null ? {} : { threadId }) }
      }
      const [held] = yield* bounded(sql<{ owner: string }>`SELECT owner FROM zain_sessions WHERE id = ${session}`)
      // It has expired since.
      if (held === undefined) return yield* claim(claimant)
      return { _tag: held.owner === owner ? "Closed" : "Foreign" }
    })

  return {
    ...turnsIn(sql),
    claim,
    named: (session, epoch, threadId) =>
      Effect.asVoid(
        bounded(sql`
          UPDATE zain_sessions SET thread_id = ${threadId} WHERE id = ${session} AND epoch = ${epoch} AND NOT closed`),
      ),
    close: (session, owner) =>
      Effect.asVoid(bounded(sql`UPDATE zain_sessions SET closed = true WHERE id = ${session} AND owner = ${owner}`)),
    expire: ({ answers, maxRows, sessions, turns }) => {
      const older = (age: Duration.Duration) => sql`now() - make_interval(secs => ${Duration.toSeconds(age)})`
      const bound = sql`LIMIT ${maxRows} FOR UPDATE SKIP LOCKED`
      return Effect.map(
        Effect.all(
          [
            sql`UPDATE zain_turns SET answer = NULL WHERE key IN (
              SELECT key FROM zain_turns WHERE answer IS NOT NULL AND changed_at <= ${older(answers)} ${bound}) RETURNING 1`,
            sql`DELETE FROM zain_turns WHERE key IN (
              SELECT key FROM zain_turns WHERE changed_at <= ${older(turns)} ${bound}) RETURNING 1`,
            sql`DELETE FROM zain_sessions WHERE id IN (
              SELECT id FROM zain_sessions WHERE used_at <= ${older(sessions)} ${bound}) RETURNING 1`,
          ].map(bounded),
        ),
        (changed) => changed.flat().length,
      )
    },
    load: Effect.map(
      bounded(sql<{ runner: string; sessions: number; turns: number; oldest: number | null }>`
        SELECT s.runner, count(DISTINCT s.id)::int AS sessions, count(t.key)::int AS turns,
          (extract(epoch FROM min(t.changed_at)) * 1000)::float8 AS oldest
        FROM zain_sessions s
        LEFT JOIN zain_turns t ON t.session = s.id AND t.epoch = s.epoch AND t.state = 'begun'
        WHERE NOT s.closed GROUP BY s.runner`),
      (rows) => rows.map(({ oldest, ...load }) => ({ ...load, ...(oldest === null ? {} : { oldestTurnAt: oldest }) })),
    ),
  }
})

/** Layer of `make`. */
export const layer: Layer.Layer<Ledger, LedgerError, SqlClient.SqlClient> = Layer.effect(Ledger, make)

const turnsIn = (sql: SqlClient.SqlClient): Pick<Ledger, "begin" | "finish" | "withdraw"> => {
  const known = (key: string): Effect.Effect<Known | undefined, LedgerError> =>
    Effect.map(
      bounded(sql<TurnRow>`
        SELECT t.state, t.answer, coalesce(s.epoch = t.epoch AND NOT s.closed, false) AS current
        FROM zain_turns t LEFT JOIN zain_sessions s ON s.id = t.session WHERE t.key = ${key}`),
      ([row]) => {
        if (row === undefined) return undefined
        if (row.state === "withdrawn") return { _tag: "Withdrawn" }
        if (row.state === "begun") return { _tag: "Begun", isCurrent: row.current }
        return { _tag: "Done", ...(row.answer === null ? {} : { answer: row.answer }) }
      },
    )

  const begin: Ledger["begin"] = (turn) =>
    Effect.gen(function* () {
      const { epoch, key, session } = turn
      // The lock of the session's row orders this before or after a claim, which raises the epoch.
      const [row] = yield* bounded(sql<{ is_current: boolean; is_mine: boolean }>`
        WITH current AS (
          SELECT id, epoch FROM zain_sessions WHERE id = ${session} AND epoch = ${epoch} AND NOT closed FOR UPDATE
        ), mine AS (
          INSERT INTO zain_turns (key, session, epoch, state) SELECT ${key}, id, epoch, 'begun' FROM current
          ON CONFLICT (key) DO NOTHING RETURNING session
        ), used AS (
          UPDATE zain_sessions SET used_at = now(), has_turns = true WHERE id IN (SELECT session FROM mine)
        )
        SELECT EXISTS (SELECT FROM current) AS is_current, EXISTS (SELECT FROM mine) AS is_mine`)
      if (row?.is_mine === true) return { _tag: "Mine" }
      const before = yield* known(key)
      if (before !== undefined) return before
      // A key that was there a moment ago has expired since.
      return row?.is_current === true ? yield* begin(turn) : { _tag: "Stale" }
    })

  const withdraw: Ledger["withdraw"] = (session, key) =>
    Effect.gen(function* () {
      const rows = yield* bounded(sql`
        INSERT INTO zain_turns (key, session, epoch, state) VALUES (${key}, ${session}, 0, 'withdrawn')
        ON CONFLICT (key) DO NOTHING RETURNING key`)
      if (rows.length > 0) return { _tag: "Withdrawn" }
      return (yield* known(key)) ?? (yield* withdraw(session, key))
    })

  return {
    begin,
    withdraw,
    finish: ({ epoch, key }, answer) =>
      bounded(sql`
        UPDATE zain_turns SET state = 'done', answer = ${answer ?? null}, changed_at = now()
        WHERE key = ${key} AND epoch = ${epoch} AND (state = 'begun' OR (state = 'done' AND ${answer === undefined}))`).pipe(
        Effect.retry({ schedule: patience, while: ({ reason }) => reason === "unavailable" }),
        Effect.asVoid,
      ),
  }
}

/** A user without the right to make tables needs none once they are there. */
const prepare = (sql: SqlClient.SqlClient): Effect.Effect<void, LedgerError> =>
  Effect.gen(function* () {
    const read = bounded(sql<{ comment: string | null; there: boolean }>`
      SELECT obj_description(to_regclass('zain_sessions'), 'pg_class') AS comment,
        to_regclass('zain_sessions') IS NOT NULL AS there`)
    if ((yield* read)[0]?.there === false) yield* bounded(sql.withTransaction(create(sql)))
    const found = (yield* read)[0]?.comment ?? ""
    const number = Number(/^zain (\d{1,9})$/.exec(found)?.[1])
    if (number === version) return
    if (Number.isNaN(number)) yield* Effect.fail(schemaError("has no version"))
    const which = number < version ? "older" : "newer"
    yield* Effect.fail(schemaError(`is ${which} than this version of Zain: ${number}, not ${version}`))
  })

const create = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    [
      // Several processes may start at once, and IF NOT EXISTS alone is not safe then.
      "SELECT pg_advisory_xact_lock(hashtext('zain_sessions'))",
      `CREATE TABLE IF NOT EXISTS zain_sessions (
        id text PRIMARY KEY, owner text NOT NULL, agent text NOT NULL, runner text NOT NULL,
        epoch int NOT NULL DEFAULT 1, closed boolean NOT NULL DEFAULT false, has_turns boolean NOT NULL DEFAULT false,
        thread_id text, used_at timestamptz NOT NULL DEFAULT now())`,
      `CREATE TABLE IF NOT EXISTS zain_turns (
        key text PRIMARY KEY, session text NOT NULL, epoch int NOT NULL, state text NOT NULL,
        answer text, changed_at timestamptz NOT NULL DEFAULT now())`,
      "CREATE INDEX IF NOT EXISTS zain_sessions_used ON zain_sessions (used_at)",
      "CREATE INDEX IF NOT EXISTS zain_turns_begun ON zain_turns (session) WHERE state = 'begun'",
      "CREATE INDEX IF NOT EXISTS zain_turns_changed ON zain_turns (changed_at)",
      "CREATE INDEX IF NOT EXISTS zain_turns_answered ON zain_turns (changed_at) WHERE answer IS NOT NULL",
      `COMMENT ON TABLE zain_sessions IS 'zain ${version}'`,
    ],
    (statement) => sql.unsafe(statement),
    { discard: true },
  )
