/** The command `zain-runner` over a real database. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { agents } from "@zain/agent-list/Agents"
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import * as McpApproval from "@zain/core/McpApproval"
import { directory } from "@zain/testkit/Directory"
import { listening } from "@zain/testkit/Listening"
import { soon } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as SharedPostgres from "../../../cluster-client/testing/SharedPostgres.ts"
import { authority, issue } from "../../testing/Certificates.ts"

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
  const [listed = assert.fail("no agent")] = agents
  const { command: program, peer } = yield* FakeAgent.install(yield* Effect.promise(listed.fake), folder, {
    dies: "with-its-server",
  })
  const table = `[agents.${listed.name}]\ncommand = "${program}"\nworkspaces = { site = "${folder}/site" }\n`
  writeFileSync(file, table)
  const runner = (port: number, ...more: ReadonlyArray<string>) =>
    command(url, ["--agents", file, "--listen", `127.0.0.1:${port}`, ...more])
  return { url, runner, peer, folder, provider: listed.name }
})

/** The processes of a fake agent, by the directory in their command line. */
const signalAgents = (folder: string, signal: NodeJS.Signals) =>
  Effect.sync(() => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const line = Result.getOrElse(
        Result.try(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")),
        () => "",
      )
      if (line.includes("FakeAgentProcess") && line.includes(folder)) process.kill(Number(pid), signal)
    }
  })

/** A runner with TLS that drains while a turn of a caller is under way, whose agent asks for approval after `signalAgents`. */
const draining = Effect.gen(function* () {
  const { folder, peer, provider, runner, url } = yield* cluster
  const ca = yield* authority
  const { key, ...tls } = yield* issue(ca)
  const files = { cert: tls.cert, key: Redacted.value(key), ca: ca.cert }
  for (const [name, pem] of Object.entries(files)) writeFileSync(join(folder, name), pem, { mode: 0o640 })
  const options = Object.keys(files).flatMap((name) => [`--tls-${name}`, join(folder, name)])
  const page = yield* freePort
  const child = yield* runner(yield* freePort, "--status-port", `${page}`, ...options)
  yield* line(child, /Listening on/)
  const approvals = () => Effect.succeed(McpApproval.approve)
  const client = yield* ClusterMcpClient.make({ provider, database: url, tls: { ...tls, key }, approvals })
  const session = yield* client.openSession(ClusterMcpClient.config(provider, { options: { cwd: "site" } }))
  const prompt = (directive: ContractScript.Directive) =>
    client.execute(session, { content: ContractScript.prompt(directive) })
  yield* prompt({ _tag: "Say", text: "first" })
  yield* signalAgents(folder, "SIGSTOP")
  const turn = yield* Effect.forkScoped(prompt({ _tag: "Approve" }))
  const isUnderWay = Effect.promise(async () => {
    const data = await (await fetch(`http://127.0.0.1:${page}/status`)).text()
    return data.includes('"runner":{"sessions":1,"turns":1,')
  })
  yield* soon(Effect.repeat(isUnderWay, { until: (is) => is, schedule: Schedule.spaced("20 millis") }))
  child.kill("SIGTERM")
  yield* line(child, /Draining: 1 turns under way/)
  return { child, folder, turn, peer }
})

describe("zain-runner", () => {
  test.live(
    "answers a turn that ends after SIGTERM, with the approval that it asks for then, over TLS, and exits with 0",
    function* () {
      const { child, folder, peer, turn } = yield* draining
      yield* signalAgents(folder, "SIGCONT")
      assert.match((yield* soon(Fiber.join(turn))).content, /^approved/)
      assert.strictEqual(yield* ended(child), 0)
      assert.deepStrictEqual(yield* peer.leftovers ?? Effect.succeed([]), [])
    },
  )

  test.live(
    "ends an open approval with `connection-lost`, unknown, when its runner is killed and no other is left",
    function* () {
      const { provider, runner, url } = yield* cluster
      const child = yield* runner(yield* freePort)
      yield* line(child, /Listening on/)
      const isAsked = yield* Deferred.make<void>()
      const approvals = () => Effect.andThen(Deferred.succeed(isAsked, undefined), Effect.never)
      const client = yield* ClusterMcpClient.make({ provider, database: url, approvals })
      const session = yield* client.openSession(ClusterMcpClient.config(provider, { options: { cwd: "site" } }))
      const content = ContractScript.prompt({ _tag: "Approve" })
      const turn = yield* Effect.forkScoped(Effect.flip(client.execute(session, { content })))
      yield* soon(Deferred.await(isAsked))
      child.kill("SIGKILL")
      const { delivery, reason } = yield* soon(Fiber.join(turn))
      assert.deepStrictEqual([reason, delivery], ["connection-lost", "unknown"])
    },
  )

  test.live("ends at once at a second signal, with its agents", function* () {
    const { child, peer } = yield* draining
    child.kill("SIGTERM")
    assert.strictEqual(yield* ended(child), 143)
    const left = peer.leftovers ?? Effect.succeed([])
    yield* soon(Effect.repeat(left, { until: (left) => left.length === 0, schedule: Schedule.spaced("20 millis") }))
  })

  test.live("joins, is in the status, refuses a second runner of its address, and leaves at SIGTERM", function* () {
    const { runner, url } = yield* cluster
    const port = yield* freePort
    const one = yield* runner(port, "--group", "default", "--group", "gpu")
    yield* line(one, /Listening on/)
    const status = JSON.parse((yield* output(url, ["status", "--json"])).out)
    const { address, groups, isHealthy } = status.runners[0]
    assert.deepStrictEqual([address, groups, isHealthy], [`127.0.0.1:${port}`, ["default", "gpu"], true])

    const other = yield* output(url, one.spawnargs.slice(3))
    assert.strictEqual(other.code, 1)
    assert.match(other.err, /^zain-runner: Another runner has the address 127\.0\.0\.1:\d+\. .*--advertise/)

    one.kill("SIGTERM")
    assert.include(yield* line(one, /Draining: 0 turns under way, at most 1m/), "Draining")
    assert.strictEqual(yield* ended(one), 0)
    const after = yield* output(url, ["status"])
    assert.deepStrictEqual([after.code, after.out.slice(0, 34)], [1, "No runner has joined this cluster."])
  })

  test.live("fails where its port is in use, and says what to do", function* () {
    const { runner } = yield* cluster
    const child = yield* runner(yield* listening(() => {}))
    const failure = yield* Effect.flip(line(child, /Listening on/))
    assert.match(failure.message, /exit code 1: .*\(EADDRINUSE\)\. Another process uses the port, .* --listen\./s)
  })
})
