/**
 * `zain run` with the real agents.
 *
 * @see issue 6, part 4
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ZainProcess from "../../packages/cli/test/run/ZainProcess.ts"
import { test } from "../../packages/core/test/Test.ts"
import * as AgentServers from "../src/AgentServers.ts"
import * as Programs from "../src/Programs.ts"
import * as Steps from "../src/Steps.ts"
import * as Until from "../src/Until.ts"
import * as Wishes from "../src/Wishes.ts"

const down = "\u001b[B"
const enter = "\r"
const ctrlC = "\u0003"

const home = Effect.fnUntraced(function* (agent: AgentServers.AgentName) {
  const place = yield* AgentServers.place(agent)
  const own = [
    ...["run", "--provider", agent, "--command", AgentServers.programs[agent]],
    ...(agent === "codex" ? ["--env", "SCRIPTED_MODEL_API_KEY"] : []),
  ]
  const where = { cwd: place.directory, env: { ...Programs.environment, ...place.env } }
  return {
    ...place,
    file: (name: string) => join(place.directory, name),
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

  test.live("asks on the terminal before the agent runs a command, and follows the answer", function* () {
    const { file, terminal } = yield* home(agent)
    for (const [name, keys, isMade] of [
      ["yes", down + enter, true],
      ["no", enter, false],
    ] as const) {
      const path = file(`made-by-${name}`)
      const zain = yield* terminal(Wishes.prompt({ _tag: "Run", command: `touch ${path}` }).text)
      yield* zain.says("output", /Allow it\?/)
      assert.include(ZainProcess.seen(zain.output()), "wants to run a command:")
      assert.isFalse(existsSync(path))
      zain.type(keys)
      if (!isMade) {
        yield* zain.says("output", /Why not/)
        zain.type(enter)
      }
      assert.strictEqual(yield* zain.exit, 0)
      assert.strictEqual(existsSync(path), isMade)
    }
  })

  test.live("interrupts the turn at Ctrl-C, ends the request to the model, and leaves no process", function* () {
    const { empty, model, terminal } = yield* home(agent)
    const hang = Wishes.prompt({ _tag: "Hang" })
    const zain = yield* terminal(hang.text)
    const asked = yield* model.awaitRequest(Wishes.has(hang))
    zain.type(ctrlC)
    yield* model.awaitGone(asked)
    assert.strictEqual(yield* zain.exit, 130)
    assert.match(ZainProcess.seen(zain.output()), /Interrupting .*…[\s\S]*Interrupted after/)
    yield* empty
  })
})
