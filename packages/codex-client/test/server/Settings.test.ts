/** Parameters of threads of Codex and of their turns. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import type { CodexStartOptions } from "../../src/CodexOptions.ts"
import { client, finite, listener, script } from "../../testing/server/Codex.ts"

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
  // A directory named `.git` without a repository: Codex continues its search above it.
  mkdirSync(join(nested, ".git"), { recursive: true })
  symlinkSync(nested, link)
  return { root, nested, link }
})

/** The parameters of a thread with these options, and of its first turn. `own`: the user's configuration. */
const started = Effect.fnUntraced(function* (options: CodexStartOptions, own: object = {}, trusted = "") {
  const { heard, start, turn } = yield* client({ env: { FAKE_CONFIG: JSON.stringify(own), FAKE_TRUSTED: trusted } })
  const ear = listener()
  yield* turn(yield* start(options), { prompt: script([]) }, ear)
  const params = (name: string) => heard().find(({ method }) => method === name)?.params ?? {}
  const { approvalPolicy, permissions, sandboxPolicy } = params("turn/start")
  const warnings = ear.events.filter((event) => event._tag === "Raw" && event.method === "warning")
  return { thread: params("thread/start"), turn: { approvalPolicy, permissions, sandboxPolicy }, warnings }
})

describe("a thread of Codex in a repository", () => {
  const cases: ReadonlyArray<readonly [what: string, options: CodexStartOptions, own: object, turn: object]> = [
    [
      "what is asked for",
      { sandbox: "workspace-write" },
      {},
      { sandboxPolicy: workspace, approvalPolicy: "on-request" },
    ],
    [
      "no sandbox and no approvals when the options say so",
      { sandbox: "danger-full-access", approvalPolicy: "never" },
      {},
      { sandboxPolicy: { type: "dangerFullAccess" }, approvalPolicy: "never" },
    ],
    ["a read-only sandbox by default", {}, {}, { sandboxPolicy: readOnly, approvalPolicy: "on-request" }],
    [
      "the sandbox of the user's configuration without options",
      {},
      {
        approval_policy: "untrusted",
        sandbox_mode: "workspace-write",
        sandbox_workspace_write: { network_access: true, exclude_slash_tmp: true },
      },
      { sandboxPolicy: { ...workspace, networkAccess: true, excludeSlashTmp: true }, approvalPolicy: "untrusted" },
    ],
    [
      "the sandbox of `config` instead of the user's",
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
      "the permissions of the user's configuration",
      {},
      { default_permissions: "mine", sandbox_mode: "read-only" },
      { permissions: "mine", approvalPolicy: "on-request" },
    ],
    [
      "the sandbox of the options instead of these",
      { sandbox: "read-only" },
      { default_permissions: "mine" },
      { sandboxPolicy: readOnly, approvalPolicy: "on-request" },
    ],
  ]
  test.live.each(cases)("starts read-only, and its turns have %s", function* ([_, options, own, turn]) {
    const seen = yield* started(options, own)
    assert.deepInclude(seen.thread, { sandbox: "read-only", approvalPolicy: seen.turn.approvalPolicy })
    assert.deepStrictEqual<object>(seen.turn, { permissions: undefined, sandboxPolicy: undefined, ...turn })
    assert.deepStrictEqual(seen.warnings, [])
  })

  test.live(
    "writes by default in a repository that the user trusts, and requests every approval in one that the user does not",
    function* () {
      const { link, root } = yield* repository
      const by = (trust_level: string) => started({ cwd: link }, { projects: { [root]: { trust_level } } })
      assert.deepInclude((yield* by("trusted")).turn, { sandboxPolicy: workspace, approvalPolicy: "on-request" })
      assert.deepInclude((yield* by("untrusted")).turn, { sandboxPolicy: readOnly, approvalPolicy: "untrusted" })
    },
  )

  test.live("marks a trusted directory with a `.codex` as untrusted, and warns in each turn", function* () {
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

  test.live("with `trust-project` starts with its own options in a trusted directory", function* () {
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

  // The fake names its working directory as its home.
  const usual = ` (config.toml in ${process.cwd()}, or .codex/config.toml of the project)`
  test.live.each([
    [
      "where it usually is",
      "invalid configuration: unknown variant `x`\nin `approval_policy`\n",
      `${usual}: invalid configuration: unknown variant \`x\` in \`approval_policy\``,
    ],
    [
      "no string that Codex quotes",
      'invalid type: string "TOKEN=/a\\":1:2: b", expected a map',
      `${usual}: invalid type: string "…", expected a map`,
    ],
    [
      "the place that Codex names, and no line of the file",
      "/me/config.toml:9:16: extra `=`\n  |\n9 | token = = 'sk-secret'\n  |         ^\n",
      ": /me/config.toml:9:16: extra `=`",
    ],
  ])("is not started when Codex cannot read its configuration; the error names %s", function* ([, why, said]) {
    const { heard, start } = yield* client({ env: { FAKE_CONFIG: JSON.stringify(why) } })
    const { message, reason } = yield* Effect.flip(start({}))
    assert.deepStrictEqual([reason, message], ["agent-refused", `Codex cannot read its configuration${said}`])
    assert.isUndefined(heard().find(({ method }) => method === "thread/start"))
  })

  test.live("fails with a message of at most 1 KiB if that of Codex is long", function* () {
    const { start } = yield* client({ env: { FAKE_CONFIG: JSON.stringify(`${"wrong ".repeat(100_000)}`) } })
    assert.isAtMost(Buffer.byteLength((yield* Effect.flip(start({}))).message), 1_024)
  })
})
