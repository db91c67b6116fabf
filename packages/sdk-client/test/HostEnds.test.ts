/** Hosts that exit in every way a program can, and the processes and connections that must end with them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as HttpServer from "../testing/HttpServer.ts"
import * as Server from "../testing/Server.ts"
import * as SseServer from "./SseServer.ts"
import { until } from "./Until.ts"

const program = fileURLToPath(new URL("../testing/fixtures/ending-host.ts", import.meta.url))

/** A timeout for hanging processes, in milliseconds. */
const safetyTimeoutMillis = 240_000

/** Runs a host that exits in this way. `before` runs before a signal is sent. Every process is ended after the test. */
const run = async <A>(
  how: string,
  config: McpConnectionConfig.McpConnectionConfig,
  use: (host: Host) => Promise<A>,
  before: (host: Host) => void = () => {},
): Promise<A> => {
  let mark = "none"
  const directory = mkdtempSync(join(tmpdir(), "zain-test-"))
  const child = spawn(process.execPath, ["--conditions=zain-source", program, how, JSON.stringify(config)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: directory },
  })
  const ended = once(child, "exit").then(([code, signal]): Ending => signal ?? code)
  let complaints = ""
  child.stderr.on("data", (piece) => {
    complaints += piece
  })
  const timer = setTimeout(() => child.kill("SIGKILL"), safetyTimeoutMillis)
  try {
    let said = ""
    for await (const piece of child.stdout) {
      said += piece
      if (said.includes("\n")) break
    }
    assert.include(said, "\n", complaints)
    const host = { mark: said.trim(), directory, ended }
    mark = host.mark
    if (config.transport === "stdio" && how.startsWith("SIG")) {
      assert.lengthOf(marked(mark), 3, "the agent, its child, and the guard")
      assert.lengthOf(readdirSync(directory), 2, "the session's directory, and its process's")
    }
    before(host)
    if (how.startsWith("SIG")) child.kill(how as NodeJS.Signals)
    return await use(host)
  } finally {
    clearTimeout(timer)
    child.kill("SIGKILL")
    if (mark !== "none") for (const { pid } of marked(mark)) kill(pid)
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** An exit code, or the signal that ended a process. */
type Ending = number | NodeJS.Signals

/** `mark`: the variable that identifies its processes. */
interface Host {
  readonly mark: string
  readonly directory: string
  readonly ended: Promise<Ending>
}

/**
 * Every way to exit, and the exit code or signal. By `return` nothing is under way, by `turn` and `read` a turn and a reader
 * of events are, which set the code 7 at their end. The other signals that end a program do so as SIGTERM does.
 */
const ways = [
  ["close", 0],
  ["return", 0],
  ["turn", 7],
  ["read", 7],
  ["exit", 3],
  ["throw", 1],
  ["SIGTERM", "SIGTERM"],
  ["SIGKILL", "SIGKILL"],
] as const

describe.concurrent("a host with an agent that ignores the end of its input and SIGTERM, and has a grandchild", () => {
  it.each(ways)("leaves no process and no file when it ends by %s (promises 11 and 12)", (how, code) =>
    run(how, stubborn("grandchild"), async ({ directory, ended, mark }) => {
      assert.strictEqual(await ended, code)
      await until(() => marked(mark), [])
      await until(() => readdirSync(directory), [])
    }),
  )

  it.each(["exit", "SIGKILL"])(
    "ends an agent in another process group when it ends by %s (promises 11 and 12)",
    (how) =>
      run(how, stubborn("runaway"), async ({ ended, mark }) => {
        await ended
        await until(() => marked(mark), [])
      }),
  )

  it("ends the agent by its own exit handler when its guard is gone (promise 12)", () =>
    run(
      "SIGUSR2",
      stubborn("grandchild"),
      async ({ ended, mark }) => {
        assert.strictEqual(await ended, 3)
        await until(() => marked(mark), [])
      },
      ({ mark }) => {
        const guards = marked(mark).filter(({ command }) => command.includes("zain-guard"))
        assert.lengthOf(guards, 1)
        for (const { pid } of guards) kill(pid)
      },
    ))
})

const stubborn = (grandchild: "grandchild" | "runaway") =>
  Server.config([grandchild, "ignore-eof", "ignore-sigterm"], { closeGrace: "400 millis" })

describe.concurrent("a host with a session over HTTP", () => {
  /** Answers a call for `late`, and no other one. */
  const call = (asked: HttpServer.Asked, tell: (data: string) => void): true | undefined => {
    if (!HttpServer.isCall(asked)) return undefined
    const answer = HttpServer.message(asked, { result: HttpServer.result("late") })
    if (asked.body.params?.["name"] === "late") setTimeout(() => tell(answer), 500)
    return true
  }
  const json = { "content-type": "application/json" }
  const servers = {
    "streamable-http": () =>
      Effect.map(
        HttpServer.start((asked, response) => call(asked, (data) => response.writeHead(200, json).end(data))),
        (server) => ({ server, make: McpConnectionConfig.streamableHttp }),
      ),
    sse: () =>
      Effect.map(
        SseServer.start((asked, _, tell) => call(asked, tell)),
        (server) => ({ server, make: McpConnectionConfig.sse }),
      ),
  }
  // The operating system closes what a program that is ended leaves open; over `sse` other code waits for an answer.
  const cases = [
    ...(["close", "return", "turn", "read"] as const).map((how) => ({ transport: "streamable-http" as const, how })),
    ...(["return", "turn"] as const).map((how) => ({ transport: "sse" as const, how })),
  ].map((one) => ({ ...one, code: ways.find(([how]) => how === one.how)?.[1] }))

  test.live.each(cases)(
    "exits by $how and closes its connections over $transport (promises 12 and 13)",
    function* ({ code, how, transport }) {
      const { make, server } = yield* servers[transport]()
      const ended = yield* Effect.promise(() => run(how, make({ url: server.url }), async ({ ended }) => ended))
      assert.strictEqual(ended, code)
      yield* Effect.promise(() => until(server.open, 0))
    },
  )
})

const marked = (mark: string) => Server.processesWith(`ZAIN_OWNER=${mark}`)

const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // The process has already exited.
  }
}
