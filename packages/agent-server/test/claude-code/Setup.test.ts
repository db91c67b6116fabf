/** How Claude Code receives its settings and instructions, and that none of them is lost without an error. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ClaudeCodeSetup from "../../src/claude-code/ClaudeCodeSetup.ts"
import * as ServerProcess from "../ServerProcess.ts"
import * as ClaudeCode from "./ClaudeCode.ts"

const quiet = ClaudeCode.recorder

const command = fileURLToPath(new URL("../../src/zain-claude-code-mcp.ts", import.meta.url))

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep(5), until(holds))))

const settings = {
  env: { A: "b", ANTHROPIC_MODEL: "opus" },
  permissions: { deny: ["WebFetch", "--settings"], allow: ["Edit", "Bash(git *)"] },
  agent: "reviewer",
}

describe("the options of a thread (promise 18)", () => {
  it("are compared with what Claude Code has taken in steps that grow with their number, and no faster", () => {
    const allow = Array.from({ length: 1_000 }, (_, at) => `Bash(${at})`)
    let steps = 0
    const counted = new Proxy(allow, {
      get: (list, key) => {
        steps++
        return Reflect.get(list, key)
      },
    })
    const setup = ClaudeCodeSetup.make({ "allowed-tools": allow })
    const taken = { sources: [{ source: "flagSettings", settings: { permissions: { allow: counted } } }] }
    const answers = [{}, { response: taken }]
    assert.isUndefined(setup === undefined ? "none" : ClaudeCodeSetup.byProtocol(setup).problem(answers))
    assert.isAbove(steps, 0)
    assert.isBelow(steps, 10 * allow.length)
  })

  it.live("go by the control protocol, as often as its process is started", () =>
    Effect.gen(function* () {
      const { home, start, turn } = yield* ClaudeCode.client()
      const threadId = yield* start(ClaudeCode.texts)
      yield* turn(threadId, "leave", quiet())
      const told = JSON.parse((yield* turn(threadId, "start", quiet())).content)
      assert.strictEqual(told.model, "opus")
      const setup = { settings, systemPrompt: ["--be brief"], appendSystemPrompt: "Say\nplease." }
      assert.deepStrictEqual(ClaudeCode.setups(home), [setup, setup])
    }),
  )

  it.live("go by private files where Claude Code is too old for that, which are gone with the process", () =>
    Effect.gen(function* () {
      const home = yield* ClaudeCode.home
      const directory = yield* Effect.scoped(
        Effect.gen(function* () {
          const agent = yield* ClaudeCode.agent(home, { env: { FAKE_OLD: "1" } })
          const { start, turn } = yield* agent.attach
          const threadId = yield* start(ClaudeCode.texts)
          yield* turn(threadId, "say one", quiet())
          const { args = [] } = ClaudeCode.starts(home)[1] ?? {}
          const files = args.slice(-3).map((arg) => arg.slice(arg.indexOf("=") + 1))
          assert.deepStrictEqual(
            args.slice(-3).map((arg, at) => arg.replace(files[at] ?? "", "")),
            ["--settings=", "--system-prompt-file=", "--append-system-prompt-file="],
          )
          assert.deepStrictEqual(
            files.map((path) => readFileSync(path, "utf8")),
            [JSON.stringify(settings), "--be brief", "Say\nplease."],
          )
          for (const path of files) assert.strictEqual(statSync(path).mode & 0o777, 0o600)
          const made = dirname(files[0] ?? "")
          assert.strictEqual(statSync(made).mode & 0o777, 0o700)
          yield* turn(yield* start({ model: "opus" }), "say two", quiet())
          assert.lengthOf(ClaudeCode.starts(home), 3, "It is known by then that Claude Code is old.")
          return made
        }),
      )
      assert.isFalse(existsSync(directory))
    }),
  )

  it.live("go by private files that are gone soon after the server was killed", () =>
    Effect.gen(function* () {
      const home = yield* ClaudeCode.home
      const args = ["stdio", "--command", process.execPath, "--env", "FAKE_OLD", "--", ClaudeCode.program]
      const env = { HOME: home, TMPDIR: home, FAKE_OLD: "1" }
      const { child, message, send } = yield* ServerProcess.start(args, env, command)
      send(ServerProcess.initialize())
      yield* message(({ id }) => id === "init")
      send(ServerProcess.initialized)
      send(ServerProcess.call(1, "hang", "claude-code", ClaudeCode.texts))
      const written = () => readdirSync(home).filter((name) => name.startsWith("zain-"))
      yield* until(() => existsSync(join(home, "setups.jsonl")))
      // The files, and the TMPDIR of the process.
      assert.lengthOf(written(), 2)
      child.kill("SIGKILL")
      yield* until(() => written().length === 0)
    }),
  )

  const lost = [
    ["a value that it drops", { config: { effortLevel: "enormous" } }, /does not take `config\.effortLevel`\./],
    ["one for which it drops all", { config: { model: 7 }, agent: "reviewer" }, /`config\.model`: Expected string/],
    ["an agent that it does not have", { agent: "nobody" }, /`agent` is the name of none.* claude, reviewer\./],
  ] as const
  it.live.each(lost)("fail its start when Claude Code does not take them: %s", ([, options, message]) =>
    Effect.gen(function* () {
      const { home, start } = yield* ClaudeCode.client()
      const error = yield* Effect.flip(start({ "disallowed-tools": ["Bash"], ...options }))
      assert.strictEqual(error.reason, "start-failed")
      assert.match(error.message, message)
      assert.deepStrictEqual(readdirSync(join(home, "conversations")), [])
      yield* ClaudeCode.gone(ClaudeCode.starts(home)[0]?.pid ?? 0)
    }),
  )

  it.live("are taken where Claude Code only writes them otherwise", () =>
    Effect.gen(function* () {
      const { start, turn } = yield* ClaudeCode.client()
      const threadId = yield* start({ config: { env: { RETRIES: 3, IS_QUIET: true } } })
      assert.strictEqual((yield* turn(threadId, "say one", quiet())).content, "one")
    }),
  )
})
