/** The table of agents as an operator's file. */
import { chmodSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { agents as known } from "@zain/agent-list/Agents"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { stringify } from "smol-toml"
import * as AgentsFile from "../../src/command/AgentsFile.ts"

const env = { MODEL_KEY: "sk-secret", ZAIN_DATABASE_URL: "postgres://zain:password@db/zain" }

/** Writes a file beside a directory `site`, a link to it, and a file; `DIR` in its text is their directory. */
const written = Effect.fnUntraced(function* (content: string | object) {
  const folder = yield* directory
  mkdirSync(join(folder, "site"))
  symlinkSync("site", join(folder, "link"))
  writeFileSync(join(folder, "file"), "")
  const text = typeof content === "string" ? content : stringify(content)
  const path = join(folder, "agents.toml")
  writeFileSync(path, text.replaceAll("DIR", folder), { mode: 0o644 })
  return path
})

const refused = Effect.fnUntraced(function* (content: string | object) {
  const path = yield* written(content)
  const error = yield* Effect.flip(AgentsFile.read(path, env))
  assert.notInclude(error.message, env.MODEL_KEY)
  assert.include(error.message, path)
  return error.message.slice(path.length + 2)
})

const workspaces = { site: "DIR/site" }
const agent = (entry: object) => ({ agents: { codex: { workspaces, ...entry } } })

describe("AgentsFile.read", () => {
  test.live.each(known.map(({ name }) => name))("takes %s of the list of agents by its name", function* (name) {
    const path = yield* written({ agents: { [name]: { workspaces: { site: "DIR/link" }, env: ["MODEL_KEY"] } } })
    const { [name]: found } = yield* AgentsFile.read(path, env)
    const site = realpathSync(join(path, "../site"))
    assert.deepStrictEqual(found?.workspaces, { site }, "links are resolved")
    const { env: variables = {}, providerOptions } = found?.local({ cwd: site }) ?? assert.fail("no agent")
    assert.strictEqual(Redacted.value(variables["MODEL_KEY"] as never), env.MODEL_KEY)
    assert.deepStrictEqual(providerOptions, { cwd: site })
    assert.strictEqual((yield* found?.driver ?? assert.fail()).provider, name)
  })

  test.live("takes two agents of one provider, with a program, options and what callers may set", function* () {
    const options = { sandbox: "read-only" }
    const second = { provider: "codex", command: "/opt/codex", workspaces, options, callerOptions: ["cwd"] }
    const table = yield* AgentsFile.read(yield* written({ agents: { codex: { workspaces }, "codex-2": second } }), env)
    assert.deepStrictEqual(Object.keys(table), ["codex", "codex-2"])
    assert.deepStrictEqual(table["codex-2"]?.options, options)
    assert.deepStrictEqual(table["codex-2"]?.callerOptions, ["cwd"])
    assert.include(table["codex-2"]?.local({}).serverUrl, "/opt/codex")
  })

  test.live("reads the file that the guide shows", function* () {
    const guide = readFileSync(new URL("../../../../docs/guides/cluster-operations.md", import.meta.url), "utf8")
    const [, shown = ""] = /^```toml\n(.*?)^```$/ms.exec(guide) ?? []
    const path = yield* written(shown.replaceAll("/srv/site", "DIR/site"))
    assert.deepStrictEqual(Object.keys(yield* AgentsFile.read(path, { OPENAI_API_KEY: "sk" })), ["codex", "reviewer"])
  })

  test.live.each([
    ["[agents.codex]\nworkspaces = = {}", /Not TOML: line 2, column 14\.$/],
    [`a = ${"[".repeat(20)}${"]".repeat(20)}`, /Not TOML: line 1/],
    [{}, /`agents` is missing/],
    [{ agents: {} }, /`agents` is empty/],
    [{ agents: { codex: {} } }, /`agents\.codex\.workspaces` is missing/],
    [{ agents: { "../codex": { workspaces } } }, /`agents\.\.\.\/codex`: a name has 1 to 64/],
    [
      { agents: { cursor: { workspaces } } },
      /`agents\.cursor` is no provider's name: `provider` must be one of codex, claude-code/,
    ],
    [agent({ provider: "cursor" }), /`agents\.codex\.provider` must be one of codex, claude-code/],
    [agent({ cwd: "/" }), /`agents\.codex\.cwd` is not known here; known keys: provider, command, options/],
    [agent({ workspaces: {} }), /`agents\.codex\.workspaces` is empty/],
    [agent({ workspaces: { "a/b": "DIR/site" } }), /`agents\.codex\.workspaces\.a\/b`: a name has/],
    [agent({ workspaces: { site: "site" } }), /`agents\.codex\.workspaces\.site` is not an absolute path/],
    [agent({ workspaces: { site: "DIR/none" } }), /`agents\.codex\.workspaces\.site`: .*none does not exist/],
    [agent({ workspaces: { site: "DIR/file" } }), /`agents\.codex\.workspaces\.site`: .*file is not a directory/],
    [agent({ workspaces: { site: "DIR/site\0" } }), /`agents\.codex\.workspaces\.site` holds a NUL character/],
    [agent({ env: ["A=b"] }), /`agents\.codex\.env\.0` is not the name of a variable/],
    [
      agent({ env: ["MODEL_KEY", "ABSENT"] }),
      /`agents\.codex\.env\.1`: the runner's environment has no variable ABSENT/,
    ],
    [agent({ env: ["ZAIN_DATABASE_URL"] }), /`agents\.codex\.env\.0`: ZAIN_DATABASE_URL stays with the runner/],
    [agent({ options: { sandbx: "none" } }), /`agents\.codex\.options`: .*`sandbx` is not known here/],
    [agent({ options: { sandbox: "all" } }), /`agents\.codex\.options`: .*sandbox/],
  ] as const)("says where the mistake is, and what is expected: %#", function* ([content, problem]) {
    assert.match(yield* refused(content), problem)
  })

  test.live("refuses a file that any user can write, since it names programs", function* () {
    const path = yield* written(agent({}))
    chmodSync(path, 0o666)
    const { message, reason } = yield* Effect.flip(AgentsFile.read(path, env))
    assert.deepStrictEqual([reason, message.includes(`chmod 664 ${path}`)], ["unreadable", true])
    const missing = yield* Effect.flip(AgentsFile.read(`${path}.none`, env))
    assert.include(missing.message, "agents.toml.none cannot be read (ENOENT)")
  })
})
