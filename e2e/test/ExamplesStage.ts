/**
 * The place of an example: the pinned agents on `PATH`, a scripted model, a private home and an empty directory. The
 * environment alone sets it up, so that the program is the one that a user runs.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { exceptGuards, withEnvironment } from "../src/OwnProcesses.ts"
import * as Programs from "../src/Programs.ts"
import { binaries } from "../src/RealAgents.ts"
import { gone } from "../src/Until.ts"

/** How a program ended. `processes`: those of it and its agents that still run, without guards. */
export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly processes: ReadonlyArray<{ readonly pid: number; readonly command: string }>
}

/**
 * - `directory`: where the program runs
 * - `file`: the path of a file there
 * - `git`: runs git there
 * - `home`: the home of both agents
 * - `alone`: waits until no process of a killed program is left
 * - `run`: runs it to its end. `answers`: what a user types, or a signal, each when the text that it answers has been printed;
 *   without one the program is killed. `args`: its arguments
 */
export interface Stage extends AsyncDisposable {
  readonly model: ScriptedModel.StartedModel
  readonly directory: string
  readonly file: (name: string) => string
  readonly git: (...args: ReadonlyArray<string>) => void
  readonly home: string
  readonly alone: () => Promise<void>
  readonly run: (
    program: string,
    answers?: ReadonlyArray<readonly [asked: string, typed?: string | { readonly signal: NodeJS.Signals }]>,
    args?: ReadonlyArray<string>,
  ) => Promise<Outcome>
}

/** Milliseconds. It ends only what hangs. */
const limit = 240_000

/**
 * A stage for one test.
 *
 * @param more variables beside the usual ones
 */
export const make = async (
  respond: NonNullable<ScriptedModel.StartOptions["respond"]>,
  more: Readonly<Record<string, string>> = {},
): Promise<Stage> => {
  const place = mkdtempSync(join(tmpdir(), "zain-example-"))
  const directory = join(place, "project")
  mkdirSync(directory)
  const model = await ScriptedModel.start({ respond })
  // Codex receives this variable although the program does not name it.
  const key = "OPENAI_API_KEY"
  const codex = await model.codex(place, { config: { model_providers: { scripted: { env_key: key } } } })
  const claudeCode = await model.claudeCode(place)
  const commands = join(place, "bin")
  mkdirSync(commands)
  symlinkSync(join(Programs.root, "packages/editor-server/dist/zain-editor-mcp.js"), join(commands, "zain-editor-mcp"))
  const PATH = [commands, dirname(binaries.codex), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter)
  const env = { ...compileCache(), ...codex.env, ...claudeCode.env, [key]: "no-key-is-needed", PATH, ...more }

  const run: Stage["run"] = async (program, answers = [], args = []) => {
    const child = spawn(process.execPath, [...Programs.conditions, join(Programs.root, program), ...args], {
      cwd: directory,
      env,
      timeout: limit,
      killSignal: "SIGKILL",
    })
    const ending = Programs.end(child)
    let printed = ""
    const open = [...answers]
    child.stdout.on("data", (piece) => {
      printed += piece
      const [next] = open
      if (next === undefined || !printed.includes(next[0])) return
      if (typeof next[1] === "string") child.stdin.write(`${next[1]}\n`)
      else child.kill(next[1]?.signal ?? "SIGKILL")
      open.shift()
    })
    return { ...(await ending), processes: exceptGuards(withEnvironment(place)) }
  }
  return {
    model,
    directory,
    file: (name) => join(directory, name),
    git: (...args) => void execFileSync("git", args, { cwd: directory }),
    home: place,
    alone: () => Effect.runPromise(gone(() => withEnvironment(place))),
    run,
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]()
      rmSync(place, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
