/** Options beside a thread of Claude Code. */
import { mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as ThreadLock from "@zain/agent-server/ThreadLock"
import * as Workspace from "@zain/agent-server/Workspace"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import type { ClaudeCodeStartOptions } from "../../src/ClaudeCodeOptions.ts"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

const quiet = ClaudeCode.recorder

/** A thread with these options, after its first turn. `turn`: runs another one, with options beside the thread. */
const begun = Effect.fnUntraced(function* (
  options: ClaudeCodeStartOptions,
  env: Readonly<Record<string, string>> = {},
) {
  const { home, says, threadId, turn } = yield* ClaudeCode.thread({ env }, options)
  yield* says("say one")
  return {
    home,
    threadId,
    turn: (given?: ClaudeCodeStartOptions, prompt = "earlier") => turn(threadId, { prompt }, quiet(), given),
    args: () => ClaudeCode.starts(home).at(-1)?.args ?? [],
  }
})

describe("options beside a thread of Claude Code, which are applied or refused, and never ignored", () => {
  it.live("apply from then on, also after a restart of the server, and the thread continues", () =>
    Effect.gen(function* () {
      const { args, home, threadId, turn } = yield* begun({
        permissionMode: "plan",
        disallowedTools: ["WebFetch"],
      })
      const other = join(realpathSync(home), "other")
      mkdirSync(other)
      const given = {
        permissionMode: "acceptEdits",
        effort: "low",
        model: "m",
        cwd: other,
        settings: { env: { A: "b" } },
      }
      const { content } = yield* turn(given as ClaudeCodeStartOptions)
      assert.strictEqual(content, '["say one"]')
      const applied = () => {
        assert.includeMembers([...args()], [`--resume=${threadId}`, "--permission-mode=acceptEdits", "--effort=low"])
        assert.strictEqual(ClaudeCode.starts(home).at(-1)?.cwd, other)
        const { settings } = ClaudeCode.setups(home).at(-1) as { readonly settings: ClaudeCode.Settings }
        assert.deepInclude(settings.env, { ANTHROPIC_MODEL: "m", A: "b" })
        assert.include(settings.permissions?.deny ?? [], "WebFetch")
      }
      applied()
      yield* turn(undefined)
      assert.lengthOf(ClaudeCode.starts(home), 2)
      const later = yield* (yield* ClaudeCode.agent(home)).attach
      yield* later.turn(threadId, { prompt: "earlier" }, quiet())
      assert.lengthOf(ClaudeCode.starts(home), 3)
      applied()
    }).pipe(Effect.provideService(ThreadLock.Client, "one client of both")),
  )

  test.live("that the thread has already change nothing", function* () {
    const options = { ...ClaudeCode.texts, cwd: ".", permissionMode: "plan", effort: "high" } as const
    const { home, turn } = yield* begun(options)
    const { settings, ...rest } = options
    const turned = { permissions: settings.permissions, env: settings.env }
    for (const same of [{}, options, { ...rest, settings: turned, promptCommands: false, trustProject: false }]) {
      assert.isFalse((yield* turn(same)).isError)
    }
    assert.lengthOf(ClaudeCode.starts(home), 1)
  })

  test.live.each([
    { baseInstructions: "other" },
    { developerInstructions: "other" },
    { agent: "claude" },
    { settings: {} },
    { trustProject: true },
  ])("that determine the instructions replace the stored ones: %j", function* (given) {
    const { args, home, turn } = yield* begun({ baseInstructions: "base", developerInstructions: "developer" })
    assert.notInclude(args(), "--system-prompt-snapshot=off")
    yield* turn(given)
    assert.include(args(), "--system-prompt-snapshot=off")
    const { appendSystemPrompt, systemPrompt } = ClaudeCode.setups(home).at(-1) ?? {}
    assert.deepStrictEqual(systemPrompt, [given.baseInstructions ?? "base"])
    assert.deepStrictEqual(appendSystemPrompt, given.developerInstructions ?? "developer")
    // Without the flag, Claude Code would use the stored instructions.
    yield* turn({ effort: "low" })
    assert.include(args(), "--system-prompt-snapshot=off")
  })

  test.live("determine the instructions of a thread without a turn", function* () {
    const { home, threadId, turn } = yield* ClaudeCode.thread({}, { baseInstructions: "base" })
    yield* turn(threadId, { prompt: "say one" }, quiet(), { baseInstructions: "other" })
    assert.notInclude(ClaudeCode.starts(home).at(-1)?.args ?? [], "--system-prompt-snapshot=off")
    assert.deepStrictEqual(ClaudeCode.setups(home).at(-1)?.["systemPrompt"], ["other"])
  })

  test.live("are refused by name when Claude Code is too old for them, and the thread stays unchanged", function* () {
    const { args, turn } = yield* begun({ effort: "low" }, { FAKE_OLD: "1" })
    const error = yield* Effect.flip(turn({ effort: "high", developerInstructions: "other" }))
    assert.strictEqual(error.reason, "option-refused")
    assert.match(error.message, /^`developer-instructions` cannot change/)
    assert.strictEqual((yield* turn()).content, '["say one"]')
    assert.include(args(), "--effort=low")
  })

  test.live(
    "that Claude Code does not accept fail the call before its prompt, and the thread stays unchanged",
    function* () {
      const { args, turn } = yield* begun({ effort: "low" })
      const error = yield* Effect.flip(turn({ effort: "high", agent: "missing" }, "say never"))
      assert.strictEqual(error.reason, "invalid-config")
      assert.match(error.message, /`agent` does not name one of/)
      assert.strictEqual((yield* turn()).content, '["say one"]')
      assert.include(args(), "--effort=low")
    },
  )

  test.live("do not affect the previous turn", function* () {
    const { turn } = yield* begun({})
    const answers = yield* Effect.all([turn(undefined, "say two"), turn({ effort: "low" }), turn({ effort: "high" })], {
      concurrency: "unbounded",
    })
    assert.deepStrictEqual(
      answers.map(({ content }) => content),
      ["two", '["say one","say two"]', '["say one","say two","earlier"]'],
    )
  })

  test.live("are checked against the root as those of a new thread", function* () {
    const { home, threadId, turn } = yield* begun({ cwd: "/dev" })
    const within = Effect.provideService(Workspace.Roots, ["/dev"])
    for (const wide of [{ settings: {} }, { allowedTools: ["Edit"] }, { trustProject: true }, { cwd: home }]) {
      assert.strictEqual((yield* Effect.flip(within(turn(wide)))).reason, "agent-refused")
    }
    assert.strictEqual((yield* within(turn({ effort: "low" }))).content, '["say one"]')
    assert.include(ClaudeCode.starts(home).at(-1)?.args ?? [], `--resume=${threadId}`)
  })
})
