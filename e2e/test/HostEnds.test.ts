import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { withEnvironment } from "../src/OwnProcesses.ts"
import { binaries } from "../src/RealAgents.ts"

const program = fileURLToPath(new URL("HostProgram.ts", import.meta.url))

/** In milliseconds. What is not there, or not gone, by then will not be. */
const safetyLimit = 25_000

const until = async (holds: () => boolean, otherwise: () => string) => {
  const limit = performance.now() + safetyLimit
  while (!holds()) {
    assert.isBelow(performance.now(), limit, otherwise())
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

/** A command that lasts longer than any test, and that nothing else runs. */
const long = "sleep 86399"

const agents = {
  codex: ScriptedTurn.toolCall("exec_command", { cmd: long }),
  "claude-code": ScriptedTurn.toolCall("Bash", { command: long, description: "Wait" }),
}

/** A host whose agent runs a command, in the middle of a turn. `directory` tells the agent's processes from all others. */
const start = (agent: keyof typeof agents) =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make({ turns: [agents[agent]], whenScriptEnds: ScriptedTurn.hang })
    const { directory, env } = yield* agent === "codex" ? model.codex() : model.claudeCode()
    const command = agent === "codex" ? binaries.codexNative : binaries.claudeCode
    const host = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const args = ["--conditions=zain-source", program, agent, command, directory, JSON.stringify(env)]
        return spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] })
      }),
      (child) =>
        Effect.sync(() => {
          child.kill("SIGKILL")
          for (const { pid } of withEnvironment(directory)) kill(pid)
        }),
    )
    return { directory, host }
  })

const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It was faster.
  }
}

describe.concurrent("a host whose real agent runs a command in the middle of a turn (promises 11 and 12)", () => {
  const cases = (["codex", "claude-code"] as const).flatMap((agent) =>
    (["SIGUSR2", "SIGTERM", "SIGKILL"] as const).map((signal) => ({ agent, signal })),
  )

  it.live.each(cases)("$agent: $signal of the host ends the agent and its command", ({ agent, signal }) =>
    Effect.gen(function* () {
      const { directory, host } = yield* start(agent)
      const ended = once(host, "exit")
      const seen = () => withEnvironment(directory).map(({ command }) => command)
      yield* Effect.promise(async () => {
        await until(
          () => seen().some((command) => command.includes(long)),
          () => `The agent has not run its command: ${seen().join("; ")}`,
        )
        host.kill(signal)
        await ended
        await until(
          () => seen().length === 0,
          () => `Left: ${seen().join("; ")}`,
        )
      })
    }),
  )
})
