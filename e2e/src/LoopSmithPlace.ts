/**
 * The command `loopsmith`, and both agents in one private home with a scripted model before them.
 */
import { spawn } from "node:child_process"
import type { ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import type { CommandLine } from "./AgentServers.ts"
import * as OwnProcesses from "./OwnProcesses.ts"
import * as Programs from "./Programs.ts"
import { binaries, makeHome } from "./RealAgents.ts"

/** How clients reach the server. */
export type Door = "ws" | "http" | "stdio"

export const doors: ReadonlyArray<Door> = ["ws", "http", "stdio"]

export type LoopSmithPlace = Effect.Success<ReturnType<typeof make>>

/** The real Codex as judge. */
export const judge: ReadonlyArray<string> = [
  ...["--judge", "codex", "--judge-command", binaries.codex],
  ...["--env", "SCRIPTED_MODEL_API_KEY"],
]

/** The same, and the real Claude Code as writer. */
export const agents: ReadonlyArray<string> = [
  ...judge,
  ...["--writer", "claude-code", "--writer-command", binaries.claudeCode],
]

/**
 * Makes a place. Its processes end with the Scope.
 *
 * - `command`: `loopsmith` with these arguments, which is started in `work`
 * - `serve`: `loopsmith serve` at a free port, until the Scope ends
 * - `alive`: the processes that live in this home; the servers count too
 */
export const make = Effect.fnUntraced(function* (respond?: ScriptedModel.ScriptedModelOptions["respond"]) {
  const { alive, env, work, ...home } = yield* makeHome(respond === undefined ? {} : { respond })
  const command = (args: ReadonlyArray<string>): CommandLine => ({
    command: process.execPath,
    args: [`${Programs.root}/packages/loopsmith/bin/loopsmith.js`, ...args],
    env: { ...Programs.environment, LOG_LEVEL: "error", ...env },
    cwd: work,
  })
  const spawned = (args: ReadonlyArray<string>) => () => {
    const line = command(args)
    return spawn(line.command, line.args, { ...line, stdio: ["ignore", "pipe", "pipe"] })
  }
  return {
    ...{ ...home, work, env, command },
    alive: () => OwnProcesses.exceptGuards(alive()),
    start: (args: ReadonlyArray<string>) => Programs.scoped(spawned(args)),
    serve: (door: Exclude<Door, "stdio">, args: ReadonlyArray<string> = []) =>
      Programs.serve(spawned(["serve", door, "--port", "0", "--json", ...args])),
  }
})
