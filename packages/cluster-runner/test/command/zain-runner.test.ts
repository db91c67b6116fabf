/** The command `zain-runner` over a real database. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { listening } from "@zain/testkit/Listening"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SharedPostgres from "../../../cluster-client/testing/SharedPostgres.ts"

const program = fileURLToPath(new URL("../../src/command/zain-runner.ts", import.meta.url))
const postgres = SharedPostgres.make()
const freePort = Effect.scoped(listening(() => {}))
const { PATH, HOME } = process.env

const command = (url: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=zain-source", program, ...args], {
        env: { PATH, HOME, ZAIN_DATABASE_URL: url },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL")),
  )

const line = (child: ChildProcess, pattern: RegExp) =>
  Effect.callback<string, Error>((resume) => {
    let seen = ""
    child.stderr?.on("data", (chunk) => {
      seen += chunk
      if (pattern.test(seen)) resume(Effect.succeed(seen))
    })
    child.on("close", (code) => resume(Effect.fail(new Error(`exit code ${code}: ${seen}`))))
  })

const ended = (child: ChildProcess) =>
  Effect.callback<number | null>((resume) => {
    if (child.exitCode !== null) return resume(Effect.succeed(child.exitCode))
    child.on("close", (code) => resume(Effect.succeed(code)))
  })

/** Runs the command to its end. */
const output = Effect.fnUntraced(function* (url: string, args: ReadonlyArray<string>) {
  const child = yield* command(url, args)
  const [out, err] = yield* Effect.promise(() => Promise.all([text(child.stdout), text(child.stderr)]))
  return { out, err, code: yield* ended(child) }
}, Effect.scoped)

/** A database, and the arguments of a runner of it. */
const cluster = Effect.gen(function* () {
  const url = Redacted.value(yield* (yield* postgres).database)
  const folder = yield* directory
  mkdirSync(join(folder, "site"))
  const file = join(folder, "agents.toml")
  writeFileSync(file, `[agents.codex]\nworkspaces = { site = "${folder}/site" }\n`)
  const runner = (port: number, ...more: ReadonlyArray<string>) =>
    command(url, ["--agents", file, "--listen", `127.0.0.1:${port}`, ...more])
  return { url, runner }
})

describe("zain-runner", () => {
  test.live("joins, is in the status, refuses a second runner of its address, and leaves at SIGTERM", function* () {
    const { runner, url } = yield* cluster
    const [port, page] = [yield* freePort, yield* freePort]
    const one = yield* runner(port, "--status-port", `${page}`, "--group", "default", "--group", "gpu")
    yield* line(one, /Listening on/)
    const status = JSON.parse((yield* output(url, ["status", "--json"])).out)
    const { address, groups, isHealthy } = status.runners[0]
    assert.deepStrictEqual([address, groups, isHealthy], [`127.0.0.1:${port}`, ["default", "gpu"], true])

    const other = yield* output(
      url,
      one.spawnargs.slice(3).map((arg) => (arg === `${page}` ? `${page + 1}` : arg)),
    )
    assert.strictEqual(other.code, 1)
    assert.match(other.err, /^zain-runner: Another runner has the address 127\.0\.0\.1:\d+\. .*--advertise/)

    const data = yield* Effect.promise(() => fetch(`http://127.0.0.1:${page}/status`).then((answer) => answer.text()))
    assert.include(data, `"address":"127.0.0.1:${port}"`)

    one.kill("SIGTERM")
    assert.include(yield* line(one, /Draining: 0 turns under way, at most 1m/), "Draining")
    assert.strictEqual(yield* ended(one), 0)
    const after = yield* output(url, ["status"])
    assert.deepStrictEqual([after.code, after.out.slice(0, 34)], [1, "No runner has joined this cluster."])
  })

  test.live.each([
    ["no database", (url: string) => url.replace(/:\d+\//, ":1/"), /connection refused/],
    ["a wrong password", (url: string) => url.replace(/:\w+@/, ":hunter2@"), /rejected the credentials/],
  ] as const)("fails with %s in bounded time, and the password is in no message", function* ([, change, problem]) {
    const { url } = yield* cluster
    const { code, err } = yield* output(change(url), ["status"])
    assert.strictEqual(code, 1)
    assert.match(err, problem)
    assert.notMatch(err, /hunter2|postgres:\/\//)
  })

  test.live("fails where its port is in use, and says what to do", function* () {
    const { runner } = yield* cluster
    const child = yield* runner(yield* listening(() => {}))
    const failure = yield* Effect.flip(line(child, /Listening on/))
    assert.match(failure.message, /exit code 1: .*\(EADDRINUSE\)\. Another process uses the port, .* --listen\./s)
  })
})
