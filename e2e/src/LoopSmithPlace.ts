/**
 * The command `loopsmith`, and both agents in one private home with a scripted model before them.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { ScriptedModel, type ScriptedModelError } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CommandLine, Served } from "./AgentServers.ts"
import * as OwnProcesses from "./OwnProcesses.ts"
import { end, listening, root, stop } from "./Programs.ts"
import { binaries } from "./RealAgents.ts"

/** How clients reach the server. */
export type Door = "ws" | "http" | "stdio"

export const doors: ReadonlyArray<Door> = ["ws", "http", "stdio"]

/** How a command ended. */
export type Ended = Awaited<ReturnType<typeof end>>

/**
 * - `directory`: the home of all; `work` in it is where commands are started
 * - `command`: `loopsmith` with these arguments
 * - `run`: runs it to its end
 * - `serve`: `loopsmith serve` at a free port, until the Scope ends
 * - `alive`: the processes that live in this home; the servers count too
 */
export interface LoopSmithPlace {
  readonly model: ScriptedModel.ScriptedModel
  readonly directory: string
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  readonly command: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => CommandLine
  readonly start: (
    args: ReadonlyArray<string>,
    env?: Readonly<Record<string, string>>,
  ) => Effect.Effect<ChildProcess, never, Scope.Scope>
  readonly run: (
    args: ReadonlyArray<string>,
    env?: Readonly<Record<string, string>>,
  ) => Effect.Effect<Ended, never, Scope.Scope>
  readonly serve: (
    door: Exclude<Door, "stdio">,
    args?: ReadonlyArray<string>,
    env?: Readonly<Record<string, string>>,
  ) => Effect.Effect<Served, never, Scope.Scope>
  readonly alive: () => ReadonlyArray<OwnProcesses.OwnProcess>
}

/** The real Codex as judge. */
export const judge: ReadonlyArray<string> = [
  ...["--judge", "codex", "--judge-command", binaries.codex],
  ...["--env", "SCRIPTED_MODEL_API_KEY"],
]

/** The same, and the real Claude Code as writer. */
export const agents: ReadonlyArray<string> = [
  ...judge,
  "--writer",
  "claude-code",
  "--writer-command",
  binaries.claudeCode,
]

/** Makes a place. Its processes end with the Scope, whatever became of them. */
export const make = Effect.fnUntraced(function* (
  respond?: ScriptedModel.ScriptedModelOptions["respond"],
): Effect.fn.Return<LoopSmithPlace, ScriptedModelError.ScriptedModelError, Scope.Scope> {
  const model = yield* ScriptedModel.make(respond === undefined ? {} : { respond })
  const codex = yield* model.codex()
  const { directory } = codex
  const claudeCode = yield* model.claudeCode(directory)
  const env = { ...claudeCode.env, ...codex.env }
  const work = join(directory, "work")
  yield* Effect.promise(() => mkdir(work))
  const alive = () => OwnProcesses.exceptGuards(OwnProcesses.withEnvironment(directory))
  yield* Effect.addFinalizer(() => Effect.sync(() => alive().forEach(OwnProcesses.kill)))

  const command: LoopSmithPlace["command"] = (args, more) => ({
    command: process.execPath,
    args: [`${root}/packages/loopsmith/bin/loopsmith.js`, ...args],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      LOG_LEVEL: "error",
      ...compileCache(),
      ...env,
      ...more,
    },
    cwd: work,
  })
  const start: LoopSmithPlace["start"] = (given, more) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const { args, command: node, cwd, env: all } = command(given, more)
        return spawn(node, args, { cwd, env: all, stdio: ["ignore", "pipe", "pipe"] })
      }),
      (program) => Effect.promise(() => stop(program)),
    )
  return {
    ...{ model, directory, work, env, command, start, alive },
    run: (args, more) => Effect.flatMap(start(args, more), (program) => Effect.promise(() => end(program))),
    serve: (door, args = [], more = {}) =>
      Effect.flatMap(start(["serve", door, "--port", "0", "--json", ...args], more), (server) =>
        Effect.promise(async () => ({ url: await listening(server), process: server })),
      ),
  }
})
