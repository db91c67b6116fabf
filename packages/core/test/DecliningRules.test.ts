/** What rules that decline match: any part of a request, while those that approve match all of it. */
import { assert, describe, it } from "@effect/vitest"
import { McpApproval } from "@zain/core"
import type { McpApprovalRequest, McpApprovalRule } from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"

const asker = { provider: "test", sessionId: "00000000-0000-4000-8000-000000000000" as McpSessionId, turn: 1 }
const request = (given: Partial<McpApprovalRequest>): McpApprovalRequest => ({
  kind: "file-change",
  message: "May I?",
  cwd: "/srv/project",
  ...given,
})

/** Which answer a rule gives that comes before one that approves all there is. */
const isDeclined = (rule: Omit<McpApprovalRule, "answer">, asked: McpApprovalRequest) =>
  Effect.gen(function* () {
    const all: McpApprovalRule = { answer: "approve" }
    const said: Array<string> = []
    for (const answer of ["decline", { decline: "No." }, McpApproval.decline("No.")] as const) {
      said.push((yield* McpApproval.make({ rules: [{ ...rule, answer }, all] })(asked, asker))._tag)
    }
    assert.strictEqual(new Set(said).size, 1)
    return said[0] === "Decline"
  })

describe("a rule that declines is not passed by naming something else beside it (design §5; promise 23)", () => {
  const git: McpApprovalRule = { within: "/srv/project/.git", answer: { decline: "Leave .git alone." } }
  const files: McpApprovalRule = { kind: "file-change", within: "/srv/project", answer: "approve" }

  it.effect.each([
    [["a.js"], "Approve"],
    [["a.js", "b/c.js"], "Approve"],
    [[".git/config"], "Decline"],
    [["a.js", ".git/config"], "Decline"],
    [[".git/config", "a.js"], "Decline"],
    [["a.js", "b/../.git/hooks/pre-commit", "c.js"], "Decline"],
    [["a.js", "../elsewhere"], "Decline"],
    [[], "Decline"],
  ] as const)("nothing in .git, whatever is within the project: %j is a %s", ([paths, said]) =>
    Effect.gen(function* () {
      const policy = McpApproval.make({ rules: [git, files] })
      assert.strictEqual((yield* policy(request({ paths }), asker))._tag, said)
    }),
  )

  it.effect.each([
    ["of a directory around it, for all below it may then be written", ["/srv/project"], true],
    ["of the root of all", ["/"], true],
    ["of a name that only begins alike", ["/srv/project/.gitignore"], false],
    ["of a directory beside it", ["/srv/project/src"], false],
    ["in other letters, which many file systems take for the same", [".GIT/config"], true],
    ["with a letter that shows nowhere", [".g\u200cit/config"], true],
    ["in somebody's home", ["~/a"], true],
    ["with a backslash", ["a\\b"], true],
    ["on a drive", ["C:/a"], true],
    ["that is empty, and so the directory at work", [""], true],
  ] as const)("a path %s: %j lies within .git, or may: %s", ([_, paths, matches]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* isDeclined({ within: "/srv/project/.git" }, request({ paths })), matches)
    }),
  )

  it.effect.each([
    [["C:\\srv\\.GIT\\config"], true],
    [["C:/srv/src/a"], false],
    [["C:\\srv\\GIT~1\\config"], true],
    [["C:\\srv\\.git::$DATA"], true],
    [["D:\\a"], false],
    [["\\srv\\a"], true],
  ] as const)("on Windows too: %j, %s", ([paths, matches]) =>
    Effect.gen(function* () {
      const asked = request({ cwd: "C:\\srv", paths })
      assert.strictEqual(yield* isDeclined({ within: "C:\\srv\\.git" }, asked), matches)
    }),
  )

  it.effect(
    "a relative path without a directory to start from may lie anywhere, and so may a change without a path",
    () =>
      Effect.gen(function* () {
        const { cwd: _, ...nowhere } = request({ paths: ["a"] })
        const { paths: __, ...unsaid } = nowhere
        for (const asked of [nowhere, unsaid]) {
          assert.isTrue(yield* isDeclined({ within: "/srv/project/.git" }, asked))
          assert.isFalse(yield* isDeclined({ kind: "tool", within: "/srv/project/.git" }, asked))
        }
      }),
  )

  it.effect("a permission to write there, or around it, is one that is declined; one that names no path is not", () =>
    Effect.gen(function* () {
      const declined = (paths: ReadonlyArray<string>) =>
        isDeclined({ within: "/srv/project/.git" }, request({ kind: "permission", paths }))
      assert.isTrue(yield* declined(["/srv/project/.git"]))
      assert.isTrue(yield* declined(["/tmp", "/srv/project"]))
      assert.isFalse(yield* declined(["/tmp"]))
      assert.isFalse(yield* declined([]))
    }),
  )

  it.effect("a command that names no paths is as its directory, whether or not the rule names the command", () =>
    Effect.gen(function* () {
      const git = { within: "/srv/project/.git" }
      const at = (cwd: string) => request({ kind: "command", command: "touch config", cwd })
      assert.isTrue(yield* isDeclined(git, at("/srv/project/.git/hooks")))
      assert.isTrue(yield* isDeclined({ ...git, command: /touch .*/ }, at("/srv/project/.git")))
      assert.isFalse(yield* isDeclined({ ...git, command: /rm .*/ }, at("/srv/project/.git")))
      assert.isFalse(yield* isDeclined(git, at("/srv/project")))
      assert.isFalse(yield* isDeclined(git, { kind: "tool", message: "May I?", tool: "WebFetch" }))
    }),
  )

  it.effect.each([
    [/rm .*/, "rm -rf .", true],
    [/rm .*/, "git status; rm -rf .", true],
    [/rm .*/, "git status\nrm -rf .", true],
    [/^rm /m, "git status\nrm -rf .", true],
    [/^rm /, "git status; rm -rf .", false],
    [/rm .*/g, "git status && rm -rf .", true],
    [/rm .*/y, "git status && rm -rf .", true],
    [/rm .*/, "git status", false],
    ["rm -rf .", "git status; rm -rf .", false],
    ["rm -rf .", "rm -rf .", true],
  ] as const)(
    "an expression for a command, %s, looks anywhere in %j, and a text at all of it: %s",
    ([line, asked, matches]) =>
      Effect.gen(function* () {
        const policy = McpApproval.make({ rules: [{ command: line, answer: "decline" }, { answer: "approve" }] })
        // Twice: an expression with a memory would say something else the second time.
        for (const _ of [1, 2]) {
          const { _tag } = yield* policy(request({ kind: "command", command: asked }), asker)
          assert.strictEqual(_tag, matches ? "Decline" : "Approve")
        }
      }),
  )

  it.effect("`command` and `tool` look at whatever names one, of any kind, unless `kind` says otherwise", () =>
    Effect.gen(function* () {
      const asked = { kind: "permission", message: "May I?", tool: "shell", command: "docker ps" } as const
      assert.isTrue(yield* isDeclined({ command: /docker/ }, asked))
      assert.isTrue(yield* isDeclined({ tool: "shell" }, asked))
      assert.isTrue(yield* isDeclined({ tool: /^sh/ }, asked))
      assert.isTrue(yield* isDeclined({ tool: "shell", command: /docker/ }, asked))
      assert.isFalse(yield* isDeclined({ kind: "command", command: /docker/ }, asked))
      assert.isFalse(yield* isDeclined({ tool: "shell", command: /npm/ }, asked))
      assert.isFalse(yield* isDeclined({ tool: "she" }, asked))
    }),
  )
})
