/**
 * Three runners over a PostgreSQL of their own, on 127.0.0.1. On your machines, an operator starts both once.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as EmbeddedPostgres from "@zain/cluster-client/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"

/** What the runners are given. */
export interface Options {
  /** Where their file of agents is written. */
  readonly directory: string
  /** The file of agents. */
  readonly agents: string
  /** Variables of the runners, beside those of this program. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

interface Runner {
  readonly address: string
  /** Its page of status. */
  readonly page: string
  readonly process: ChildProcess
}

/** A running cluster. Its disposal drains the runners and ends the database. */
export interface Cluster extends AsyncDisposable {
  /** The URL of the database. */
  readonly database: string
  /** The sessions and turns of each runner that lives, by its address. */
  readonly status: () => Promise<ReadonlyMap<string, RunnerStatus>>
  /** Kills a runner, as an operating system without memory does: `kill -9`. */
  readonly kill: (address: string) => void
}

const program = fileURLToPath(import.meta.resolve("@zain/cluster-runner/zain-runner"))

/** Starts the database, then the runners. Rejects when the signal aborts; nothing is left then. */
export const start = async ({ agents, directory, env, signal }: Options): Promise<Cluster> => {
  const scope = Scope.makeUnsafe()
  const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const runners: Array<Runner> = []
  try {
    const postgres = await Effect.runPromise(Scope.provide(EmbeddedPostgres.make(), scope), { signal })
    const database = Redacted.value(await Effect.runPromise(postgres.database, { signal }))
    const file = join(directory, "agents.toml")
    writeFileSync(file, agents, { mode: 0o600 })
    const startRunner = async () => {
      const [listen, status] = [`127.0.0.1:${await freePort()}`, `${await freePort()}`]
      const line = ["--agents", file, "--listen", listen, "--status-port", status, "--locks", "advisory"]
      signal.throwIfAborted()
      const child = spawn(process.execPath, [...process.execArgv, program, ...line], {
        env: { ...process.env, ...env, ZAIN_DATABASE_URL: database },
        stdio: ["ignore", "ignore", "pipe"],
      })
      runners.push({ address: listen, page: `http://127.0.0.1:${status}/status`, process: child })
      await Effect.runPromise(
        Scope.addFinalizer(
          scope,
          Effect.promise(() => ended(child)),
        ),
      )
      await listening(child)
    }
    await Promise.all([startRunner(), startRunner(), startRunner()])
    const living = () => runners.filter(({ process }) => isAlive(process))
    return {
      database,
      kill: (address) => void runners.find((one) => one.address === address)?.process.kill("SIGKILL"),
      status: async () => {
        const all = living().map(async ({ address, page }) => {
          const response = await fetch(page, { signal })
          return [address, ((await response.json()) as { readonly runner: RunnerStatus }).runner] as const
        })
        return new Map(await Promise.all(all))
      },
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** What a runner says of itself. */
export interface RunnerStatus {
  /** Sessions that it holds. */
  readonly sessions: number
  /** Turns under way. */
  readonly turns: number
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

const ended = async (child: ChildProcess) => {
  if (!isAlive(child)) return
  const exit = once(child, "exit")
  child.kill("SIGTERM")
  await exit
}

/** Resolves once a runner listens; rejects with what it wrote if it ends instead. */
const listening = async (child: ChildProcess) => {
  const lines: Array<string> = []
  for await (const line of createInterface({ input: child.stderr as Readable })) {
    lines.push(line)
    if (line.startsWith("Listening on ")) return void child.stderr?.resume()
  }
  throw new Error(`A runner ended before it listened.\n${lines.join("\n")}`)
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
