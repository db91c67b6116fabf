/** What a thread of Codex is started with, and what its turns run with. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../core/test/Test.ts"
import { directory } from "../../../process/test/Directory.ts"
import type { CodexStartOptions } from "../../src/CodexOptions.ts"
import { client, finite, listener, script } from "./Codex.ts"

const readOnly = { type: "readOnly", networkAccess: false }
const workspace = {
  type: "workspaceWrite",
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
}

/** A directory `nested` in a repository, and `link`, a link to it. */
const repository = Effect.map(directory, (root) => {
  const [nested, link] = [join(root, "nested"), join(root, "link")]
  mkdirSync(join(root, ".git"))
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  // What is only called so hides no repository: Codex looks further up.
  mkdirSync(join(nested, ".git"), { recursive: true })
  symlinkSync(nested, link)
  return { root, nested, link }
})

/** What Codex is told of a thread that is started so, and of its first turn. `own`: its user's configuration. */
const started = Effect.fnUntraced(function* (options: CodexStartOptions, own: object = {}, trusted = "") {
  const { heard, start, turn } = yield* client({ env: { FAKE_CONFIG: JSON.stringify(own), FAKE_TRUSTED: trusted } })
  const ear = listener()
  yield* turn(yield* start(options), script([]), ear)
  const params = (name: string) => heard().find(({ method }) => method === name)?.params ?? {}
  const { approvalPolicy, permissions, sandboxPolicy } = params("turn/start")
  const warnings = ear.events.filter((event) => event._tag === "Raw" && event.method === "warning")
  return { thread: params("thread/start"), turn: { approvalPolicy, permissions, sandboxPolicy }, warnings }
})

describe("a thread of Codex (issue: a repository counts)", () => {
  const cases: ReadonlyArray<readonly [what: string, options: CodexStartOptions, own: object, turn: object]> = [
    [
      "what is asked for",
      { sandbox: "workspace-write" },
      {},
      { sandboxPolicy: workspace, approvalPolicy: "on-request" },
    ],
    [
      "no sandbox, and no question, where that is asked for",
      { sandbox: "danger-full-access", approvalPolicy: "never" },
      {},
      { sandboxPolicy: { type: "dangerFullAccess" }, approvalPolicy: "never" },
    ],
    ["reading, where nothing is said", {}, {}, { sandboxPolicy: readOnly, approvalPolicy: "on-request" }],
    [
      "what the user's own configuration says, where nothing is asked for",
      {},
      {
        approval_policy: "untrusted",
        sandbox_mode: "workspace-write",
        sandbox_workspace_write: { network_access: true, exclude_slash_tmp: true },
      },
      { sandboxPolicy: { ...workspace, networkAccess: true, excludeSlashTmp: true }, approvalPolicy: "untrusted" },
    ],
    [
      "what `config` says instead of the user's own",
      {
        config: {
          sandbox_mode: "workspace-write",
          "sandbox_workspace_write.network_access": false,
          sandbox_workspace_write: { exclude_tmpdir_env_var: true },
        },
      },
      { default_permissions: ":danger", sandbox_workspace_write: { network_access: true, exclude_slash_tmp: true } },
      {
        sandboxPolicy: { ...workspace, excludeTmpdirEnvVar: true, excludeSlashTmp: true },
        approvalPolicy: "on-request",
      },
    ],
    [
      "the permissions that the user's own configuration names",
      {},
      { default_permissions: "mine", sandbox_mode: "read-only" },
      { permissions: "mine", approvalPolicy: "on-request" },
    ],
    [
      "the sandbox that is asked for instead of these",
      { sandbox: "read-only" },
      { default_permissions: "mine" },
      { sandboxPolicy: readOnly, approvalPolicy: "on-request" },
    ],
  ]
  test.live.each(cases)("starts read-only, and its turns get %s", function* ([_, options, own, turn]) {
    const seen = yield* started(options, own)
    assert.deepInclude(seen.thread, { sandbox: "read-only", approvalPolicy: seen.turn.approvalPolicy })
    assert.deepStrictEqual<object>(seen.turn, { permissions: undefined, sandboxPolicy: undefined, ...turn })
    assert.deepStrictEqual(seen.warnings, [])
  })

  test.live(
    "writes by default where the user trusts its repository, and asks about all where the user does not",
    function* () {
      const { link, root } = yield* repository
      const by = (trust_level: string) => started({ cwd: link }, { projects: { [root]: { trust_level } } })
      assert.deepInclude((yield* by("trusted")).turn, { sandboxPolicy: workspace, approvalPolicy: "on-request" })
      assert.deepInclude((yield* by("untrusted")).turn, { sandboxPolicy: readOnly, approvalPolicy: "untrusted" })
    },
  )

  test.live("trusts no directory whose repository would count, and says so in each turn", function* () {
    const { nested, root } = yield* repository
    const own = { projects: { [root]: { trust_level: "trusted" }, "/other": { trust_level: "trusted" } } }
    const seen = yield* started({ cwd: nested, config: { model_verbosity: "low" } }, own, nested)
    const untrusted = { trust_level: "untrusted" }
    assert.deepStrictEqual(seen.thread["config"], {
      ...finite,
      model_verbosity: "low",
      projects: { [root]: untrusted, [nested]: untrusted, "/other": untrusted },
    })
    assert.deepInclude(seen.turn, { sandboxPolicy: workspace, approvalPolicy: "on-request" })
    assert.include(JSON.stringify(seen.warnings), "its AGENTS.md is not read")
  })

  test.live("with `trust-project` is started as it is asked for, in a repository that counts", function* () {
    const { link, nested, root } = yield* repository
    const seen = yield* started({ cwd: link, sandbox: "workspace-write", trustProject: true })
    const trusted = { trust_level: "trusted" }
    assert.deepStrictEqual(seen.thread, {
      cwd: link,
      sandbox: "workspace-write",
      config: { ...finite, projects: { [link]: trusted, [nested]: trusted, [root]: trusted } },
    })
    assert.deepStrictEqual(seen.turn, { approvalPolicy: undefined, permissions: undefined, sandboxPolicy: undefined })
  })

  test.live("is not started where Codex does not say its configuration", function* () {
    const { heard, start } = yield* client({ env: { FAKE_CONFIG: "null" } })
    const error = yield* Effect.flip(start({}))
    assert.strictEqual(error.reason, "agent-refused")
    assert.include(error.message, "Codex refused config/read")
    assert.isUndefined(heard().find(({ method }) => method === "thread/start"))
  })
})
