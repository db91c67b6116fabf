import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { describe } from "@effect/vitest"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { test } from "../../packages/core/test/Test.ts"
import { kill, withEnvironment } from "../src/OwnProcesses.ts"
import { conditions } from "../src/Programs.ts"
import { binaries } from "../src/RealAgents.ts"
import { until } from "../src/Until.ts"

const program = fileURLToPath(new URL("HostProgram.ts", import.meta.url))

/** A command that lasts longer than any test, and that nothing else runs. */
const long = "sleep 86399"

/** What stands between the host and an agent: the agent's own MCP server, or ours. */
const profiles = ["native", "agent-server"] as const
type Profile = (typeof profiles)[number]

const agents = {
  codex: () => ScriptedTurn.toolCall("exec_command", { cmd: long }),
  "claude-code": (profile: Profile) => {
    // `claude -p` refuses a long sleep that stands alone, and `claude mcp serve` whatever needs an approval.
    const command = profile === "native" ? long : `sh -c 'exec ${long}'`
    return ScriptedTurn.toolCall("Bash", { command, description: "Wait" })
  },
}

const binaryOf = {
  codex: { native: binaries.codexNative, "agent-server": binaries.codex },
  "claude-code": { native: binaries.claudeCode, "agent-server": binaries.claudeCode },
}

/** A host whose agent runs a command, in the middle of a turn. `directory` tells the agent's processes from all others. */
const start = Effect.fnUntraced(function* (agent: keyof typeof agents, profile: Profile) {
  const model = yield* ScriptedModel.make({ turns: [agents[agent](profile)], whenScriptEnds: ScriptedTurn.hang })
  const { directory, env } = yield* agent === "codex" ? model.codex() : model.claudeCode()
  const command = binaryOf[agent][profile]
  const host = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const args = [...conditions, program, agent, profile, command, directory, JSON.stringify(env)]
      return spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] })
    }),
    (child) =>
      Effect.sync(() => {
        child.kill("SIGKILL")
        withEnvironment(directory).forEach(kill)
      }),
  )
  return { directory, host }
})

describe.concurrent("a host whose real agent runs a command in the middle of a turn (promises 11 and 12)", () => {
  const cases = (["codex", "claude-code"] as const).flatMap((agent) =>
    profiles.flatMap((profile) =>
      (["SIGUSR2", "SIGTERM", "SIGKILL"] as const).map((signal) => ({ agent, profile, signal })),
    ),
  )

  test.live.each(cases)(
    "$agent, $profile: $signal of the host ends the agent and its command",
    function* ({ agent, profile, signal }) {
      const { directory, host } = yield* start(agent, profile)
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
    },
  )
})
