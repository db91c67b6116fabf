/**
 * `zain run` with the real agents.
 *
 * @see docs/guides/command-line.md
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as ZainProcess from "../../packages/cli/testing/run/ZainProcess.ts"
import * as AgentServers from "../src/AgentServers.ts"
import * as Programs from "../src/Programs.ts"
import * as Steps from "../src/Steps.ts"
import * as Until from "../src/Until.ts"
import * as Wishes from "../src/Wishes.ts"

const home = Effect.fnUntraced(function* (agent: AgentServers.AgentName) {
  const place = yield* AgentServers.place(agent)
  const own = [
    ...["run", "--provider", agent, "--command", AgentServers.programs[agent]],
    ...(agent === "codex" ? ["--env", "SCRIPTED_MODEL_API_KEY"] : []),
  ]
  const where = { cwd: place.directory, env: { ...Programs.environment, ...place.env } }
  return {
    ...place,
    terminal: (text: string) => ZainProcess.onTerminal([...own, text], where),
    empty: Until.gone(place.alive),
  }
})

describe.each(AgentServers.agents.map((agent) => ({ agent })))("`zain run` with the real $agent", ({ agent }) => {
  test.live("prints the answer on a terminal as it arrives", function* () {
    const steps = yield* Steps.make
    const { empty, terminal } = yield* steps.hold(home(agent))
    const text = "one..two..three"
    const zain = yield* terminal(Wishes.prompt({ _tag: "Say", text, chunks: 3, pause: 1 }).text)
    for (const word of [/one/, /two/, /three/]) {
      assert.notMatch(zain.output(), word)
      yield* steps.next
      yield* zain.says("output", word)
    }
    assert.strictEqual(yield* zain.exit, 0)
    assert.include(ZainProcess.seen(zain.output()), `${text}\r\n`)
    yield* empty
  })
})
