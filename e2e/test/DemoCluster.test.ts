import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, describe, expect, it } from "@effect/vitest"
import { alive, descendants, exceptGuards, type OwnProcess, withEnvironment } from "../src/OwnProcesses.ts"
import * as Programs from "../src/Programs.ts"

/** Runs the demo, and signals it when it prints a step. Returns what it printed, and every process that it had. */
const run = async (directory: string, interruptAt?: string) => {
  const program = Programs.start("examples/cluster/main.ts", { TMPDIR: directory })
  const seen = new Map<number, OwnProcess>()
  for (const stream of [program.stdout, program.stderr]) {
    stream?.on("data", (piece) => {
      for (const one of descendants(program.pid ?? 0)) seen.set(one.pid, one)
      if (interruptAt !== undefined && String(piece).includes(interruptAt)) program.kill("SIGINT")
    })
  }
  return { ...(await Programs.end(program)), seen: [...seen.values()] }
}

/** The processes, files and ports that a run has left. */
const left = async (directory: string, { seen, stdout }: Awaited<ReturnType<typeof run>>) => {
  const data = seen.flatMap(({ command }) => /postgres -D (\S+)/.exec(command)?.[1] ?? [])
  const ports = stdout.match(/127\.0\.0\.1:\d+/g) ?? []
  const answers = await Promise.allSettled(ports.map((address) => fetch(`http://${address}/`)))
  return [
    ...exceptGuards([...withEnvironment(directory), ...alive(seen)]).map(({ command }) => command),
    ...[...readdirSync(directory), ...data.filter((path) => existsSync(path))],
    ...answers.filter(({ status }) => status === "fulfilled"),
  ]
}

const session = "session [0-9a-f-]{36} is open {2}\\d+ ms"
const lines = [
  "No key is needed: both agents are real, their models are scripts\\.",
  "cluster +(?:127\\.0\\.0\\.1:\\d+(?:, )?){3} are ready {2}\\d+ ms",
  `codex +${session}`,
  `claude-code +${session}`,
  "codex +> Remember this word: tangerine\\..*\n +< I will remember it\\. {2}\\d+ ms",
  "claude-code +> Remember this word: harbour\\..*\n +< I will remember it\\. {2}\\d+ ms",
  "codex +> Tell me a story of a thousand words\\.\n +< Once upon a time .*…",
  "cluster +kill -9 of runner (127\\.0\\.0\\.1:\\d+), which holds this session",
  " +! ConnectionUnavailable \\(connection-lost\\), delivery unknown, [\\d.]+ s after the kill\n +! The .*",
  "codex +> Which word did I ask .*\n +< It was tangerine\\. {2}\\d+ ms",
  "claude-code +> Which word did I ask .*\n +< It was harbour\\. {2}\\d+ ms",
  "cluster +sessions: (\\d at .*)",
  "Both agents remembered\\. Codex answered at another runner [\\d.]+ s after the kill\\. No prompt was sent twice\\.",
]
const story = new RegExp(`^${lines.join("\n")}\n$`)

describe("pnpm demo:cluster", () => {
  it("kills the runner of a turn, continues its conversation at another one, sends no prompt twice, and leaves nothing", () =>
    Programs.inPrivate(async (directory) => {
      const ended = await run(directory)
      assert.strictEqual(ended.exitCode, 0, ended.stderr)
      expect(ended.stdout).toMatch(story)
      const [, killed = "", sessions = ""] = story.exec(ended.stdout) ?? []
      assert.notInclude(sessions, killed)
      assert.strictEqual(
        [...sessions.matchAll(/(\d) at/g)].reduce((sum, [, count]) => sum + Number(count), 0),
        2,
      )
      assert.notInclude(ended.stdout + ended.stderr, "\u001b", "colours are for terminals")
      const commands = ended.seen.map(({ command }) => command).join("\n")
      for (const program of ["zain-runner", "postgres -D", "codex app-server", "/claude"])
        assert.include(commands, program)
      assert.deepStrictEqual(await left(directory, ended), [])
    }))

  it("prints what the README shows", () => {
    const readme = readFileSync(`${Programs.root}/README.md`, "utf8")
    expect(/demo:cluster prints.*?```text\n(.*?)```/s.exec(readme)?.[1]).toMatch(story)
  })

  it.each(["starting PostgreSQL", "kill -9"])("leaves nothing when it is interrupted at %s", (step) =>
    Programs.inPrivate(async (directory) => {
      const ended = await run(directory, step)
      assert.strictEqual(ended.exitCode, 130, ended.stderr)
      assert.deepStrictEqual(await left(directory, ended), [])
    }),
  )
})
