/** Settings files that the real Claude Code ignores, and names in `settings` that it does not know. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

const deny = '"permissions": { "deny": ["Bash(touch *)"]'
const comma = `{ ${deny} }, }`
const settings = { mcpServers: {} }
const trust = { trustProject: true }

describe("openSession with the real Claude Code (promise 35)", () => {
  test.live.each([
    ["user/settings.json", comma, {}, "user/settings.json, with their rules: it is no JSON (line 1 column "],
    [
      "user/settings.json",
      `{ ${deny}, "defaultMode": "yolo" } }`,
      {},
      "rules: `permissions.defaultMode`: Invalid value.",
    ],
    ["work/.claude/settings.local.json", comma, trust, "/.claude/settings.local.json, with their rules: it is no JSON"],
    ["user/settings.json", `{ ${deny} }, "statusLine": 7 }`, {}, "with their rules: `statusLine`: Expected"],
    [
      "user/settings.json",
      '{ "permissions": { "deny": ["Bash(touch *"], "ask": ["WebFetch"] } }',
      {},
      'ignore the rule "Bash(touch *" of `permissions.deny` in ',
    ],
    ["work/.claude/settings.json", '{ "permissions": { "ask": ["bash"] } }', trust, '"bash" of `permissions.ask` in '],
    ["user/settings.json", "{}", { settings }, "Claude Code's settings.json has no `mcpServers`"],
  ] as const)(
    "fails for %s with %s and options %j, unless `ignoreInvalidSettings`",
    function* ([name, text, options, said]) {
      const at = yield* place("claude-code")
      const [top, ...rest] = name.split("/")
      const file = join(top === "user" ? (at.env["CLAUDE_CONFIG_DIR"] ?? "") : at.work, ...rest)
      mkdirSync(join(file, ".."), { recursive: true })
      writeFileSync(file, text)
      const client = yield* OwnClient.adapter("claude-code", { rules: [{ command: /.*/, answer: "approve" }] })
      const config = (more: object) => ({
        ...OwnClient.config(at),
        providerOptions: { cwd: at.work, ...options, ...more },
      })
      const error = yield* Effect.flip(client.openSession(config({})))
      // A further transport changes nothing of it.
      if (name.endsWith("settings.local.json")) {
        const { url } = yield* at.serve("http")
        const overHttp = OwnClient.remote("claude-code", at, "http", String(url))
        const { providerOptions } = config({})
        assert.deepEqual(yield* Effect.flip(client.openSession({ ...overHttp, providerOptions })), error)
      }
      assert.deepInclude(
        error,
        { _tag: "InvalidRequest", reason: "invalid-config", delivery: "not-sent" },
        error.message,
      )
      assert.include(error.message, said.replace("user/", ""))
      assert.include(error.message, "set `ignoreInvalidSettings`")
      assert.lengthOf(yield* at.model.requests, 0)
      const session = yield* client.openSession(config({ ignoreInvalidSettings: true }))
      yield* client.execute(session, { content: Wishes.use("Bash", { command: "touch written", description: "x" }) })
      assert.isTrue(existsSync(join(at.work, "written")))
    },
  )

  test.live("answers with valid files and settings, whose rules apply", function* () {
    const at = yield* place("claude-code")
    writeFileSync(join(at.env["CLAUDE_CONFIG_DIR"] ?? "", "settings.json"), `\uFEFF{ ${deny} } }`)
    const client = yield* OwnClient.adapter("claude-code", { rules: [{ command: /.*/, answer: "approve" }] })
    const own = { effortLevel: "high", env: { A: "1" }, hooks: {}, includeCoAuthoredBy: false }
    const options = { cwd: at.work, settings: own }
    const session = yield* client.openSession({ ...OwnClient.config(at), providerOptions: options })
    const prompt = { content: Wishes.use("Bash", { command: "touch written", description: "x" }) }
    assert.isFalse((yield* client.execute(session, prompt)).isError)
    assert.isFalse(existsSync(join(at.work, "written")))
  })
})
