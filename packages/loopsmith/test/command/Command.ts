/**
 * The real command as a process, with its own home and fake agents.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { gone } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import * as Effect from "effect/Effect"

const program = fileURLToPath(new URL("../../bin/loopsmith.js", import.meta.url))

/** The start of a fake agent. */
export interface Start {
  readonly act: string
  readonly pid: number
  readonly prompt: string
}

/**
 * A home with `guide.md` in its working directory, and the command there.
 *
 * - `agent`: makes the program of a fake agent
 * - `starts`: the starts of all fakes; `agentsGone` waits until they have exited
 * - `redirected`: a redirection in the shell's syntax
 */
export const home = Effect.map(directory, (path) => {
  const file = (name: string) => join(path, "work", name)
  mkdirSync(file("."))
  writeFileSync(file("guide.md"), "# Guide\n")
  const agent = (...words: ReadonlyArray<string>): string => {
    const own = join(path, words.join("-"))
    mkdirSync(own, { recursive: true })
    const module = new URL(`FakeWords.ts?${words.join("&")}`, import.meta.url).href
    return Effect.runSync(FakeAgent.install({ ...fakeClaudeCode, agent: { ...fakeClaudeCode.agent, module } }, own))
      .command
  }
  const starts = (): ReadonlyArray<Start> => {
    const log = join(path, "starts.jsonl")
    if (!existsSync(log)) return []
    return (
      readFileSync(log, "utf8")
        .split("\n")
        // The last line is incomplete or empty.
        .slice(0, -1)
        .map((line): Start => JSON.parse(line))
    )
  }
  const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, redirected = "") =>
    start(path, args, env, redirected)
  return {
    path,
    agent,
    starts,
    agentsGone: Effect.suspend(() => gone(...starts().map(({ pid }) => pid))),
    file,
    run,
    /** Runs `improve` with a fake judge and a fake writer. */
    improve: (
      judge: ReadonlyArray<string>,
      args: ReadonlyArray<string>,
      ...more: [env?: Readonly<Record<string, string>>, redirected?: string]
    ) => {
      const agents = ["--judge", "claude-code", "--judge-command", agent(...judge), "--writer-command", agent("write")]
      return run(["improve", ...args, ...agents], ...more)
    },
  }
})

/** `says` waits until an output matches and returns the match; `exit` returns the code or the signal. */
const start = (path: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, redirected: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("/bin/sh", ["-c", `exec "$@" ${redirected}`, "sh", process.execPath, program, ...args], {
        stdio: ["pipe", "pipe", "pipe"],
        cwd: join(path, "work"),
        env: { PATH: "/usr/bin:/bin", HOME: path, TMPDIR: path, NO_COLOR: "1", ...compileCache(), ...env },
      })
      const texts = { output: "", errors: "" }
      const waiting = new Set<() => void>()
      const keep = (stream: "output" | "errors") => (piece: string) => {
        texts[stream] += piece
        for (const look of [...waiting]) look()
      }
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8").on("data", keep("output"))
      child.stderr.setEncoding("utf8").on("data", keep("errors"))
      const ended = new Promise<number | string | null>((resolve) =>
        child.once("close", (code, signal) => resolve(code ?? signal)),
      )
      return {
        child,
        output: () => texts.output,
        errors: () => texts.errors,
        says: (stream: "output" | "errors", pattern: RegExp) =>
          Effect.callback<string>((resume) => {
            const look = () => {
              const found = pattern.exec(texts[stream])
              if (found === null) return
              waiting.delete(look)
              resume(Effect.succeed(found[1] ?? found[0]))
            }
            waiting.add(look)
            look()
            return Effect.sync(() => waiting.delete(look))
          }),
        send: (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`),
        exit: Effect.promise(() => ended),
      }
    }),
    ({ child, exit }) =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        exit,
      ),
  )

/** The last line of a JSON output, parsed. */
export const endedOf = ({ output }: { readonly output: () => string }) =>
  JSON.parse(output().trim().split("\n").at(-1) ?? "")
