/**
 * The connections to PostgreSQL, and what its errors mean.
 */
import { PgClient } from "@effect/sql-pg"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LedgerError } from "./Ledger.ts"

/** How long an operation may take; a database that is frozen or cut off does not answer at all. */
const operationTimeout = Duration.seconds(5)

/** The most that the clocks of this machine and of the database may differ, in milliseconds. */
const maxClockDifferenceMillis = 60_000

/** The most connections of one process; the locks of its shards take one. */
const maxConnections = 8

/** The largest row that is read, in bytes: more than any answer. */
const maxMessageSize = 64 * 1024 * 1024

/**
 * Connects to a database.
 *
 * @param url `postgres://user:password@host/database`; `sslmode=require` asks for TLS
 * @returns the client of `effect/sql`; fails with `LedgerError`: `unauthorized`, `invalid-url`, and `unavailable` if the
 *   database cannot be reached, or has a clock that differs by more than a minute
 */
export const layer = (url: Redacted.Redacted): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, LedgerError> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* bounded(sql<{ now: number }>`SELECT extract(epoch FROM clock_timestamp())::float8 AS now`)
      const difference = (yield* Clock.currentTimeMillis) - 1000 * (row?.now ?? 0)
      if (Math.abs(difference) > maxClockDifferenceMillis) yield* Effect.fail(clockDiffers(difference))
    }),
  ).pipe(
    Layer.provideMerge(
      Layer.catch(PgClient.layer({ url, applicationName: "zain", maxConnections, maxMessageSize }), (error) =>
        Layer.effectContext(Effect.fail(toLedgerError(error))),
      ),
    ),
  )

/**
 * Ends an operation after five seconds, with errors that say what to do.
 *
 * @param operation a statement or a transaction; it may have had its effect although it fails
 */
export const bounded = <A, R>(operation: Effect.Effect<A, SqlError, R>): Effect.Effect<A, LedgerError, R> =>
  operation.pipe(
    Effect.mapError(toLedgerError),
    Effect.timeoutOrElse({ duration: operationTimeout, orElse: () => Effect.fail(timedOut) }),
  )

const unavailable = (message: string) => new LedgerError({ reason: "unavailable", message })
const unreachable = (why: string) =>
  unavailable(`Could not reach PostgreSQL: ${why}. Check that it runs at the address of the database URL.`)
const invalidUrl = new LedgerError({
  reason: "invalid-url",
  message: "The database URL is invalid. Expected postgres://user:password@host:port/database.",
})
const unauthorized = new LedgerError({
  reason: "unauthorized",
  message: "PostgreSQL rejected the credentials. Check the user and the password of the database URL.",
})
const timedOut = unreachable(`timed out after ${Duration.format(operationTimeout)}`)

const clockDiffers = (difference: number) => {
  const ahead = `${Duration.format(Duration.seconds(Math.round(Math.abs(difference) / 1000)))} ${difference > 0 ? "ahead of" : "behind"}`
  return unavailable(`The clock of this machine is ${ahead} the database's. Synchronise both with NTP.`)
}

/** Standard words for the codes of Node and PostgreSQL. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "host not found",
  EHOSTUNREACH: "no route to host",
  "53300": "too many connections",
  "57P01": "the server shuts down",
  "57P03": "the server starts up or shuts down",
}

/** Only codes are used: messages of Node and PostgreSQL may repeat the address, the user and values of parameters. */
const toLedgerError = ({ reason }: SqlError): LedgerError => {
  const { cause } = reason
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  const known = typeof code === "string" ? code : ""
  if (reason._tag === "AuthenticationError") return unauthorized
  if (known === "3D000")
    return unavailable("PostgreSQL has no database of the name in the database URL. Create it by `createdb`.")
  if (reason._tag === "AuthorizationError")
    return unavailable("PostgreSQL denied access to Zain's tables. Let the owner of the tables connect, or grant it.")
  if (["42P01", "42703", "42804"].includes(known)) return schemaError("has been changed by another program")
  if (/Invalid|Unsupported|Unrecognized/.test(reason.message ?? "") && reason.operation === "connect") return invalidUrl
  if (words[known] !== undefined) return unreachable(words[known])
  if (reason.message === "PgConnection: Server refused TLS") return unreachable("the server has no TLS")
  if (reason._tag === "ConnectionError") return unreachable(known === "" ? "the connection ended" : `code ${known}`)
  return unavailable(
    `PostgreSQL reported an error${known === "" ? "" : ` (SQLSTATE ${known})`}. See the log of the server.`,
  )
}

/**
 * Makes the error of tables that this version cannot use.
 *
 * @param what says how they differ
 */
export const schemaError = (what: string): LedgerError =>
  new LedgerError({
    reason: "schema",
    message: `The schema of Zain's tables ${what}. Run the same version of Zain on all runners and callers, or use a new database.`,
  })
