/** How Claude Code receives its settings and instructions, and that a lost one is an error. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Schema } from "effect"
import * as ServerProcess from "../../../agent-server/testing/ServerProcess.ts"
import { ClaudeCodeStartOptions } from "../../src/ClaudeCodeOptions.ts"
import * as ClaudeCodeSetup from "../../src/server/ClaudeCodeSetup.ts"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

const quiet = ClaudeCode.recorder

const command = fileURLToPath(new URL("../../src/server/zain-claude-code-mcp.ts", import.meta.url))

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep(5), until(holds))))

/** The settings of a thread without options. */
const defaults = (home: string) => ({
  useAutoModeDuringPlan: false,
  crossSessionInbound: "refuse",
  autoMemoryEnabled: false,
  autoMemoryDirectory: "/dev/null/memory",
  env: { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1", CLAUDE_CODE_DISABLE_CRON: "1" },
  permissions: {
    deny: [
      ...["CronCreate", "CronDelete", "CronList", "ScheduleWakeup", "EnterWorktree", "Agent(isolation:worktree)"],
      "Edit(//**/.claude/launch.json)",
      "Edit(//**/.claude/agent-memory/**)",
      "Edit(//**/.claude/agent-memory-local/**)",
      `Edit(/${home}/.claude/agent-memory/**)`,
    ],
    ask: ["SendMessage"],
  },
})

/** The settings of a thread with `ClaudeCode.texts`. */
const settingsOf = (home: string) => {
  const { env, permissions, ...rest } = defaults(home)
  return {
    ...rest,
    env: { A: "b", ANTHROPIC_MODEL: "opus", ...env },
    permissions: {
      allow: ["Edit", "Bash(git *)"],
      deny: ["WebFetch", "--settings", ...permissions.deny],
      ask: permissions.ask,
    },
    agent: "reviewer",
  }
}

describe("the options of a thread of Claude Code (promise 18)", () => {
  it("are compared with the accepted ones in linear time", () => {
    const allow = Array.from({ length: 1_000 }, (_, at) => `Bash(${at})`)
    let steps = 0
    const counted = new Proxy(allow, {
      get: (list, key) => {
        steps++
        return Reflect.get(list, key)
      },
    })
    const setup = ClaudeCodeSetup.make({ allowedTools: allow }, "/home")
    const { env, permissions } = setup.defaults
    const settings = { env, permissions: { ...(permissions as object), allow: counted } }
    const taken = { sources: [{ source: "flagSettings", settings }] }
    assert.isUndefined(ClaudeCodeSetup.byProtocol(setup).problem([{}, { response: taken }]))
    assert.isAbove(steps, 0)
    assert.isBelow(steps, 10 * allow.length)
  })

  test.live("are passed by the control protocol at each start of the process", function* () {
    const { home, says } = yield* ClaudeCode.thread({}, ClaudeCode.texts)
    yield* says("leave")
    const started = JSON.parse(yield* says("start"))
    assert.strictEqual(started.model, "opus")
    const settings = settingsOf(home)
    const setup = { settings, systemPrompt: ["--be brief"], appendSystemPrompt: "Say\nplease." }
    assert.deepStrictEqual(ClaudeCode.setups(home), [setup, setup])
  })

  test.live("are passed in private files to an older Claude Code, which are removed with the process", function* () {
    const home = yield* directory
    const removed = yield* Effect.scoped(
      Effect.gen(function* () {
        const agent = yield* ClaudeCode.agent(home, { env: { FAKE_OLD: "1" } })
        const { start, turn } = yield* agent.attach
        const threadId = yield* start(ClaudeCode.texts)
        yield* turn(threadId, { prompt: "say one" }, quiet())
        const { args = [] } = ClaudeCode.starts(home)[1] ?? {}
        const files = args.slice(-3).map((arg) => arg.slice(arg.indexOf("=") + 1))
        assert.deepStrictEqual(
          args.slice(-3).map((arg, at) => arg.replace(files[at] ?? "", "")),
          ["--settings=", "--system-prompt-file=", "--append-system-prompt-file="],
        )
        assert.deepStrictEqual(
          files.slice(1).map((path) => readFileSync(path, "utf8")),
          ["--be brief", "Say\nplease."],
        )
        assert.deepStrictEqual(JSON.parse(readFileSync(files[0] ?? "", "utf8")), settingsOf(home))
        for (const path of files) assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        const made = dirname(files[0] ?? "")
        assert.strictEqual(statSync(made).mode & 0o777, 0o700)
        yield* turn(yield* start({ model: "opus" }), { prompt: "say two" }, quiet())
        assert.lengthOf(ClaudeCode.starts(home), 3, "It is known by then that Claude Code is old.")
        return made
      }),
    )
    assert.isFalse(existsSync(removed))
  })

  test.live("are passed in private files that are removed soon after the server was killed", function* () {
    const home = yield* directory
    const args = ["stdio", "--command", (yield* ClaudeCode.install(home)).command, "--env", "FAKE_OLD"]
    const env = { HOME: home, TMPDIR: home, FAKE_OLD: "1" }
    const { child, message, send } = yield* ServerProcess.start(args, env, command)
    send(ServerProcess.initialize())
    yield* message(({ id }) => id === "init")
    send(ServerProcess.initialized)
    send(ServerProcess.call(1, "hang", "claude-code", Schema.encodeSync(ClaudeCodeStartOptions)(ClaudeCode.texts)))
    const written = () => readdirSync(home).filter((name) => name.startsWith("zain-"))
    yield* until(() => existsSync(join(home, "setups.jsonl")))
    // The directory of the files, and the TMPDIR of the process.
    assert.lengthOf(written(), 2)
    child.kill("SIGKILL")
    yield* until(() => written().length === 0)
  })

  test.live("are accepted when Claude Code returns them in another form", function* () {
    const { says } = yield* ClaudeCode.thread({}, { settings: { env: { RETRIES: 3, IS_QUIET: true } } })
    assert.strictEqual(yield* says("say one"), "one")
  })
})

describe("a thread of Claude Code without options", () => {
  test.live("has the default settings, also in private files", function* () {
    for (const env of [{}, { FAKE_OLD: "1" }]) {
      const { home, says } = yield* ClaudeCode.thread({ env })
      yield* says("say one")
      assert.deepStrictEqual(ClaudeCode.setups(home), [{ settings: defaults(home) }])
    }
  })

  test.live("does not start when Claude Code does not accept the default settings", function* () {
    const { home, threadId, turn } = yield* ClaudeCode.thread({ env: { FAKE_DROPS: "permissions" } })
    const error = yield* Effect.flip(turn(threadId, { prompt: "say one" }, quiet()))
    assert.strictEqual(error.reason, "invalid-config")
    assert.include(error.message, "acting without an approval")
    assert.deepStrictEqual(readdirSync(ClaudeCode.conversations(home)), [])
  })
})

describe("an action of Claude Code that is off by default", () => {
  const named = [
    ["a tool", { allowedTools: ["EnterWorktree"] }, ["EnterWorktree"], []],
    ["a tool by `config`", { settings: { permissions: { allow: ["EnterWorktree"] } } }, ["EnterWorktree"], []],
    ["a question", { allowedTools: ["SendMessage"] }, ["SendMessage"], []],
    ["later turns", { allowedTools: ["CronCreate"] }, ["CronCreate"], ["CLAUDE_CODE_DISABLE_CRON"]],
    ["its memory", { settings: { autoMemoryEnabled: true } }, [], ["autoMemoryDirectory"]],
  ] as const
  it.each(named)("is turned on by its name alone: %s", (_, options, rules, settings) => {
    const { env, permissions, ...rest } = ClaudeCodeSetup.make(options, "/home/.claude").defaults as ReturnType<
      typeof defaults
    >
    const { env: allEnv, permissions: all, ...allRest } = defaults("/home")
    const lost = (left: object, from: object) => Object.keys(from).filter((key) => !(key in left))
    const gone = (left: ReadonlyArray<string>, from: ReadonlyArray<string>) => from.filter((one) => !left.includes(one))
    assert.deepStrictEqual([...gone(permissions.deny, all.deny), ...gone(permissions.ask, all.ask)], [...rules])
    const without = [...lost(rest, allRest), ...lost(env, allEnv)].filter((key) => key !== "autoMemoryEnabled")
    assert.deepStrictEqual(without, [...settings])
  })

  it("is not turned on by a wider rule", () => {
    const { permissions } = ClaudeCodeSetup.make({ allowedTools: ["Edit", "Agent"] }, "/home/.claude").defaults
    assert.deepStrictEqual(permissions, defaults("/home").permissions)
  })

  it("includes EnterPlanMode with `dontAsk`", () => {
    const { permissions } = ClaudeCodeSetup.make({ permissionMode: "dontAsk" }, "/home/.claude").defaults
    assert.include(JSON.stringify(permissions), '"EnterPlanMode"')
  })
})
