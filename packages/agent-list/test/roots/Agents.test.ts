/** Actions of agents outside of a root, by their user's configuration or by their requests. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { McpApprovalRequest } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Clients from "../../../agent-server/testing/Clients.ts"
import * as Rooted from "./Rooted.ts"

const say = '[{"message":"said"}]'

interface Line {
  readonly method?: string
  readonly args?: ReadonlyArray<string>
}

/** The log of a fake. */
const lines = (path: string): ReadonlyArray<Line> =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

describe("a Codex server with a root", () => {
  test.live.each([
    ["no sandbox", { sandbox_mode: "danger-full-access" }, {}],
    ["a further root", { sandbox_workspace_write: { writable_roots: ["/var"] } }, { sandbox: "workspace-write" }],
  ] as const)("starts no thread that its user's configuration gives %s", function* ([_, config, options]) {
    const at = yield* Rooted.place("codex")
    const client = yield* Rooted.client(
      "codex",
      yield* Rooted.server(at, [at.root], { FAKE_CONFIG: JSON.stringify(config) }),
      "stdio",
    )
    const { isError, text } = yield* client.start(say, options)
    assert.isTrue(isError)
    assert.include(text, `Codex's own configuration leads out of the root ${at.root}`)
    const heard = lines(join(at.home, "heard.jsonl")).map(({ method }) => method)
    assert.include(heard, "thread/unsubscribe")
    assert.notInclude(heard, "turn/start")
    assert.deepInclude(yield* client.start(say, { sandbox: "read-only" }), { isError: false, text: "said" })
  })

  test.live("grants Codex a path inside, and no path when a permission names none", function* () {
    const at = yield* Rooted.place("codex")
    const client = yield* Rooted.client("codex", yield* Rooted.server(at, [at.root]), "stdio")
    const path = { access: "write", path: { type: "path", path: join(at.root, "new") } }
    const pattern = { access: "write", path: { type: "glob_pattern", pattern: "/**" } }
    const place = { access: "write", path: { type: "special", value: { kind: "root" } } }
    const ask = (entries: ReadonlyArray<object>) =>
      Effect.forEach(
        [
          ["item/permissions/requestApproval", "permissions"],
          ["item/commandExecution/requestApproval", "additionalPermissions"],
        ] as const,
        ([method, name]) => {
          const step = { ask: method, params: { command: "ls", [name]: { fileSystem: { entries } } } }
          return Effect.map(client.start(JSON.stringify([step])), ({ text }) => JSON.parse(text))
        },
      )
    const granted = { permissions: { fileSystem: { entries: [path] } }, scope: "turn" }
    assert.deepStrictEqual(yield* ask([path]), [granted, { decision: "accept" }])
    for (const entries of [
      [path, pattern],
      [place, path],
    ]) {
      assert.deepStrictEqual(yield* ask(entries), [{ permissions: {}, scope: "turn" }, { decision: "decline" }])
    }
    assert.strictEqual(client.asked(), 2)
  })
})

describe("a Claude Code server with a root", () => {
  test.live(
    "starts Claude Code with `permission-mode` `default` unless the client sets another, whatever the user's settings are",
    function* () {
      const at = yield* Rooted.place("claude-code")
      const rooted = yield* Rooted.client("claude-code", yield* Rooted.server(at, [at.root]), "stdio")
      yield* rooted.start("say 1")
      yield* rooted.start("say 2", { "permission-mode": "plan" })
      const { threadId } = yield* Rooted.startFreely(at, "say 3", { cwd: at.root })
      yield* rooted.reply(threadId, "say 4")
      const modes = lines(join(at.home, "starts.jsonl")).map(({ args }) =>
        args?.filter((arg) => arg.startsWith("--permission-mode")),
      )
      assert.deepStrictEqual(modes.slice(0, 3), [["--permission-mode=default"], ["--permission-mode=plan"], []])
      assert.deepStrictEqual(modes.at(-1), ["--permission-mode=default"])
    },
  )
})

describe("an approval on a server with a root", () => {
  const roots = ["/dev"]
  const requests: ReadonlyArray<readonly [how: "asked" | "declined", request: McpApprovalRequest]> = [
    ["asked", { kind: "command", message: "?", command: "ls" }],
    ["asked", { kind: "command", message: "?", command: "ls", cwd: "/dev" }],
    ["asked", { kind: "file-change", message: "?", paths: ["new/file"], cwd: "/dev" }],
    ["asked", { kind: "permission", message: "?", paths: ["/dev/new"], input: {} }],
    ["asked", { kind: "permission", message: "Allow Codex to reach example.org?" }],
    ["declined", { kind: "command", message: "?", command: "ls", cwd: "/" }],
    ["declined", { kind: "command", message: "?", command: "ls", cwd: "relative" }],
    ["declined", { kind: "file-change", message: "?", paths: ["/dev/new", "/new"] }],
    ["declined", { kind: "file-change", message: "?", paths: ["/dev/../new"] }],
    ["declined", { kind: "file-change", message: "?", paths: ["/dev/null/new"] }],
    // Once there is a `/dev/none`, this leads through the link `/dev/fd`.
    ["declined", { kind: "file-change", message: "?", paths: ["/dev/none/../fd/new"] }],
    ["declined", { kind: "file-change", message: "?", paths: ["fd/../new"], cwd: "/dev" }],
    ["declined", { kind: "file-change", message: "?" }],
    ["declined", { kind: "file-change", message: "?", paths: ["new"] }],
    ["declined", { kind: "file-change", message: "?", paths: [`/dev/\0`] }],
    ["declined", { kind: "permission", message: "?", paths: ["/"], input: {} }],
    ["declined", { kind: "tool", message: "?", tool: "x", paths: ["new", "~more"], cwd: "/dev" }],
    ["declined", { kind: "file-change", message: "?", paths: [`/dev/${"a/".repeat(300)}a`] }],
    ["declined", { kind: "command", message: "?", command: "ls", cwd: `/dev/${"a/".repeat(300)}a` }],
    ["declined", { kind: "permission", message: "?", command: "ls", cwd: "/dev", input: { unsandboxed: true } }],
  ]
  test.live.each(requests)("is %s: %o", function* ([how, request]) {
    const capabilities = { elicitation: {} }
    const { client } = yield* Clients.open({ roots, capabilities, answer: () => ({ action: "accept" }) })
    const { content } = yield* client.call("memory", { prompt: `request ${JSON.stringify(request)}` })
    assert.lengthOf(client.asked, how === "asked" ? 1 : 0)
    assert.match(JSON.stringify(content), how === "asked" ? /Approve/ : /Decline.*the root \/dev/)
  })
})
