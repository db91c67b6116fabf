/**
 * `zain run` with the real agents.
 *
 * @see issue 6, part 4
 */
import { existsSync, mkdirSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import * as ZainProcess from "../../packages/cli/test/run/ZainProcess.ts"
import * as AgentServers from "../src/AgentServers.ts"
import * as Steps from "../src/Steps.ts"
import * as Wishes from "../src/Wishes.ts"

const down = "\u001b[B"
const enter = "\r"
const ctrlC = "\u0003"

const home = Effect.fnUntraced(function* (agent: AgentServers.AgentName, options?: AgentServers.PlaceOptions) {
  const place = yield* AgentServers.place(agent, options)
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    ...compileCache(),
    ...place.env,
  }
  const own = [
    ...["run", "--provider", agent, "--command", AgentServers.programs[agent]],
    ...(agent === "codex" ? ["--env", "SCRIPTED_MODEL_API_KEY"] : []),
  ]
  const where = { cwd: place.directory, env }
  return {
    ...place,
    file: (name: string) => join(place.directory, name),
    run: (text: string, ...options: ReadonlyArray<string>) =>
      ZainProcess.behindPipes([...own, ...options, text], where),
    terminal: (text: string, ...options: ReadonlyArray<string>) =>
      ZainProcess.onTerminal([...own, ...options, text], where),
    /** Waits until no process of the agent is left. */
    empty: Effect.suspend(function empty(): Effect.Effect<void> {
      return place.alive().length === 0 ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), Effect.suspend(empty))
    }),
  }
})

describe.each(AgentServers.agents.map((agent) => ({ agent })))("zain run and the real $agent", ({ agent }) => {
  it.live("prints the answer on a terminal as it comes", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.live("prints no half of an answer that broke off, where it is no terminal", () =>
    Effect.gen(function* () {
      const { run } = yield* home(agent, { respond: () => ScriptedTurn.droppedStream("Half an ans") })
      const zain = yield* run("Answer.")
      assert.strictEqual(yield* zain.exit, 1)
      assert.notInclude(zain.output(), "Half")
    }),
  )

  it.live("prints the answer and nothing else on standard output", () =>
    Effect.gen(function* () {
      const { empty, run } = yield* home(agent)
      const text = "one two three four"
      const zain = yield* run(Wishes.prompt({ _tag: "Say", text, chunks: 4 }).text)
      assert.strictEqual(yield* zain.exit, 0)
      assert.strictEqual(zain.output(), `${text}\n`)
      assert.match(
        zain.errors(),
        /^Done in [\d.]+ s, tokens: [\d,]+ in, [\d,]+ out\nThread [\w-]+: --thread or --last goes on with it\n$/,
      )
      yield* empty
    }),
  )

  it.live("declines a command, names the option that allows it, and runs it with that option", () =>
    Effect.gen(function* () {
      const { file, run } = yield* home(agent)
      const path = file("made-by-rule")
      const { text } = Wishes.prompt({ _tag: "Run", command: `touch ${path}` })
      const declined = yield* run(text)
      assert.strictEqual(yield* declined.exit, 0)
      assert.isFalse(existsSync(path))
      const [, command = ""] = /--approve-command '(.*)' would allow it\./.exec(declined.errors()) ?? []
      assert.include(command, `touch ${path}`)
      const allowed = yield* run(text, "--approve-command", command)
      assert.strictEqual(yield* allowed.exit, 0)
      assert.include(allowed.errors(), `✓ Allowed by the command line: ${command}\n`)
      assert.isTrue(existsSync(path))
    }),
  )

  it.live("lets the agent change the files of a directory by --approve-changes, and no others", () =>
    Effect.gen(function* () {
      const { directory, file, run } = yield* home(agent)
      const write = Effect.fnUntraced(function* (name: string, allowed: string) {
        const path = file(name)
        const { text } = Wishes.prompt({ _tag: "Write", path, text: "made" })
        const zain = yield* run(text, "--approve-changes", allowed)
        assert.strictEqual(yield* zain.exit, 0)
        return existsSync(path)
      })
      assert.isTrue(yield* write("inside", directory))
      const elsewhere = file("elsewhere")
      mkdirSync(elsewhere)
      assert.isFalse(yield* write("outside", elsewhere))
      // Inside by its name, and outside by where the link leads.
      const project = file("project")
      mkdirSync(project)
      symlinkSync(elsewhere, join(project, "link"))
      assert.isFalse(yield* write("project/link/outside", project))
      assert.isFalse(existsSync(join(elsewhere, "outside")))
    }),
  )

  it.live("asks on the terminal before the agent runs a command, and does as it is told", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.live.runIf(agent === "codex")("shows the diff of a file that the agent wants to write, before it is there", () =>
    Effect.gen(function* () {
      const { file, terminal } = yield* home(agent)
      const path = file("written")
      const zain = yield* terminal(Wishes.prompt({ _tag: "Write", path, text: "one line" }).text)
      yield* zain.says("output", /Allow it\?/)
      const shown = ZainProcess.seen(zain.output())
      assert.include(shown, `  add      ${path}\r\n`)
      assert.match(shown, / {11}\+one line\r\n/)
      assert.include(zain.output(), "\u001b[32m+one line\u001b[39m")
      assert.isFalse(existsSync(path))
      zain.type(down + enter)
      assert.strictEqual(yield* zain.exit, 0)
      assert.isTrue(existsSync(path))
    }),
  )

  it.live("asks once for what is allowed for the session", () =>
    Effect.gen(function* () {
      const command = "touch made-again"
      const { args, name } = Wishes.run[agent](command)
      const respond: AgentServers.PlaceOptions["respond"] = ({ toolResults }) =>
        toolResults.length < 2
          ? ScriptedTurn.toolCall(name, args, { callId: `call_${toolResults.length}` })
          : ScriptedTurn.text(`Ran ${toolResults.length} times.`)
      const { file, terminal } = yield* home(agent, { respond })
      const zain = yield* terminal("Do it twice.")
      yield* zain.says("output", /Allow it\?/)
      zain.type(down + down + enter)
      assert.strictEqual(yield* zain.exit, 0)
      const shown = ZainProcess.seen(zain.output())
      assert.strictEqual(shown.split("wants to run a command:").length - 1, 1)
      assert.include(shown, "Ran 2 times.")
      assert.isTrue(existsSync(file("made-again")))
    }),
  )

  it.live("interrupts the turn at Ctrl-C: the model's client leaves, and no process is left", () =>
    Effect.gen(function* () {
      const { empty, model, terminal } = yield* home(agent)
      const { key, text } = Wishes.prompt({ _tag: "Hang" })
      const zain = yield* terminal(text)
      const asked = yield* model.awaitRequest((request) => Wishes.keysOf(request).includes(key))
      zain.type(ctrlC)
      yield* model.awaitGone(asked)
      assert.strictEqual(yield* zain.exit, 130)
      assert.match(ZainProcess.seen(zain.output()), /Interrupting .*…[\s\S]*Interrupted after/)
      yield* empty
    }),
  )

  it.live("leaves no process at the second Ctrl-C, nor when it is killed", () =>
    Effect.gen(function* () {
      const { empty, model, run, terminal } = yield* home(agent)
      const hang = Effect.fnUntraced(function* (start: typeof run) {
        const { key, text } = Wishes.prompt({ _tag: "Hang" })
        const zain = yield* start(text)
        yield* model.awaitRequest((request) => Wishes.keysOf(request).includes(key))
        return zain
      })
      const twice = yield* hang(terminal)
      twice.type(ctrlC)
      yield* twice.says("output", /Press Ctrl-C again/)
      twice.type(ctrlC)
      assert.strictEqual(yield* twice.exit, 130)
      yield* empty
      const killed = yield* hang(run)
      killed.kill("SIGKILL")
      assert.strictEqual(yield* killed.exit, "SIGKILL")
      yield* empty
    }),
  )

  it.live("goes on with a conversation by --last and by --thread, and says when it is lost", () =>
    Effect.gen(function* () {
      const { run } = yield* home(agent)
      const first = Wishes.prompt({ _tag: "Say", text: "Yes." })
      const begun = yield* run(first.text)
      assert.strictEqual(yield* begun.exit, 0)
      const [, thread = ""] = /^Thread (\S+):/m.exec(begun.errors()) ?? []
      const second = Wishes.prompt({ _tag: "Recall" })
      const last = yield* run(second.text, "--last")
      assert.strictEqual(yield* last.exit, 0, last.errors())
      assert.deepStrictEqual(JSON.parse(last.output()), [first.key, second.key])
      const third = Wishes.prompt({ _tag: "Recall" })
      const named = yield* run(third.text, "--thread", thread)
      assert.strictEqual(yield* named.exit, 0, named.errors())
      assert.deepStrictEqual(JSON.parse(named.output()), [first.key, second.key, third.key])
      const lost = yield* run(third.text, "--thread", "00000000-0000-4000-8000-000000000000")
      assert.strictEqual(yield* lost.exit, 1)
      assert.match(lost.errors(), /^✗ .*conversation/m)
    }),
  )

  it.live("exits with 1 and says why when the model fails", () =>
    Effect.gen(function* () {
      const { run } = yield* home(agent)
      const zain = yield* run(Wishes.prompt({ _tag: "Break", how: 401 }).text)
      assert.strictEqual(yield* zain.exit, 1)
      assert.match(zain.errors(), /says that its turn failed: .*401/)
    }),
  )
})
