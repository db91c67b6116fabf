import { once } from "node:events"
import { assert, describe } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { agents, place } from "../src/AgentServers.ts"
import { withEnvironment } from "../src/OwnProcesses.ts"
import * as Programs from "../src/Programs.ts"
import * as Until from "../src/Until.ts"

/** A command that lasts longer than any test, and that nothing else runs. */
const long = "sleep 86399"

/** What stands between the host and an agent: the agent's own MCP server, or ours. */
const profiles = ["native", "agent-server"] as const

const calls = {
  codex: () => ScriptedTurn.toolCall("exec_command", { cmd: long }),
  "claude-code": (profile: (typeof profiles)[number]) => {
    // `claude -p` refuses a long sleep that stands alone, and `claude mcp serve` whatever needs an approval.
    const command = profile === "native" ? long : `sh -c 'exec ${long}'`
    return ScriptedTurn.toolCall("Bash", { command, description: "Wait" })
  },
}

describe.concurrent("for a host whose real agent runs a command in the middle of a turn (promises 11 and 12),", () => {
  const killed = agents.flatMap((agent) => profiles.map((profile) => ({ agent, profile, signal: "SIGKILL" as const })))
  const cases = [
    ...killed,
    ...(["SIGUSR2", "SIGTERM"] as const).map(
      (signal) => ({ agent: "codex", profile: "agent-server", signal }) as const,
    ),
  ]

  test.live.each(cases)(
    "$agent, $profile: $signal of the host ends the agent and its command",
    function* ({ agent, profile, signal }) {
      const { directory, env } = yield* place(agent, {
        respond: ({ toolResults }) => (toolResults.length === 0 ? calls[agent](profile) : ScriptedTurn.hang),
      })
      const args = [agent, profile, JSON.stringify({ directory, env }), "Wait for a long time.", "2"]
      const host = yield* Programs.scoped(() => Programs.start("e2e/test/HostProgram.ts", {}, args), "SIGKILL")
      const seen = () => withEnvironment(directory).map(({ command }) => command)
      yield* Until.until(
        () => seen().filter((command) => command === long).length === 2,
        () => `The agent has not run its command twice: ${seen().join("; ")}`,
      )
      const ended = once(host, "exit")
      host.kill(signal)
      yield* Effect.promise(() => ended)
      yield* Until.gone(seen)
    },
  )
})

describe.concurrent("a host that forgets to close its session with", () => {
  test.live.each([
    { agent: "codex", what: "ends by itself, with the agent", how: "return", exitCode: 0 },
    { agent: "claude-code", what: "ends with its reader of events", how: "read", exitCode: 7 },
  ] as const)("the real $agent $what (promises 12 and 13)", function* ({ agent, exitCode, how }) {
    const { alive, directory, env } = yield* place(agent, { respond: () => ScriptedTurn.text("Answered.") })
    const args = [agent, how, JSON.stringify({ directory, env })]
    const host = yield* Programs.scoped(() => Programs.start("e2e/test/IdleHostProgram.ts", {}, args), "SIGKILL")
    const hangs = { duration: "1 minute", orElse: () => Effect.succeed("hangs") } as const
    const end = yield* Effect.timeoutOrElse(
      Effect.promise(() => Programs.end(host)),
      hangs,
    )
    assert.deepStrictEqual(end, { stdout: "Answered.", stderr: "", exitCode })
    yield* Until.gone(alive)
  })
})
