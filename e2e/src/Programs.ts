/**
 * Programs of this repository, started as a user would start them.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import * as Effect from "effect/Effect"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** A program runs from its source; the commands that it starts are bundles. */
export const conditions = ["--conditions=zain-bundled", "--conditions=zain-source"]

/** The environment of every program of the repository. */
export const environment: Readonly<Record<string, string>> = {
  PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
  ...compileCache(),
}

/** Starts a program of the repository from its source. Its environment is `PATH` and what is given. */
export const start = (
  path: string,
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string> = [],
): ChildProcess =>
  spawn(process.execPath, [...conditions, `${root}/${path}`, ...args], {
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })

/** Waits for the end of a program, and returns what it printed. */
export const end = async (program: ChildProcess) => {
  const printed = { stdout: "", stderr: "" }
  program.stdout?.on("data", (piece) => {
    printed.stdout += piece
  })
  program.stderr?.on("data", (piece) => {
    printed.stderr += piece
  })
  const [exitCode] = await once(program, "close")
  return { ...printed, exitCode: exitCode as number | null }
}

/** Waits until a server prints its address. */
const listening = async (server: ChildProcess): Promise<string> => {
  for await (const line of createInterface({ input: server.stdout as Readable })) {
    server.stdout?.resume()
    return (JSON.parse(line) as { readonly url: string }).url
  }
  throw new Error("The server ended before it listened.")
}

/** A program that is ended with the Scope. */
export const scoped = <Program extends ChildProcess>(start: () => Program, signal: NodeJS.Signals = "SIGTERM") =>
  Effect.acquireRelease(Effect.sync(start), (program) =>
    Effect.promise(async () => {
      if (program.exitCode !== null || program.signalCode !== null) return
      const ended = once(program, "exit")
      program.kill(signal)
      await ended
    }),
  )

/** A server that listens, until the Scope ends. It is started with `--json`. */
export const serve = Effect.fnUntraced(function* (start: () => ChildProcess) {
  const server = yield* scoped(start)
  return { url: yield* Effect.promise(() => listening(server)), process: server }
})

/**
 * Makes a temporary directory for a program that gives each of its agents a home: what is below it marks them all.
 */
export const inPrivate = async <A>(use: (directory: string) => Promise<A>): Promise<A> => {
  const directory = mkdtempSync(join(tmpdir(), "zain-e2e-"))
  try {
    return await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
