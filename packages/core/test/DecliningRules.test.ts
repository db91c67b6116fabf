/** Declining rules match any part of a request; approving rules match the whole request. */
import { assert, describe } from "@effect/vitest"
import { McpApproval } from "@zain/core"
import type { McpApprovalRequest, McpApprovalRule } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { asker, change } from "./ApprovalAsk.ts"

/** The differences from a file change without paths in `/srv/project`; `undefined` removes a field. */
type Given = { readonly [key in keyof McpApprovalRequest]?: McpApprovalRequest[key] | undefined }

const request = (given: Given): McpApprovalRequest => {
  const members = Object.entries({ ...change(), ...given }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members) as unknown as McpApprovalRequest
}

/** Whether a rule declines a request that the next rule would approve. */
const isDeclined = Effect.fnUntraced(function* (rule: Omit<McpApprovalRule, "answer">, asked: McpApprovalRequest) {
  const all: McpApprovalRule = { answer: "approve" }
  const said: Array<string> = []
  for (const answer of ["decline", { decline: "No." }, McpApproval.decline("No.")] as const) {
    said.push((yield* McpApproval.make({ rules: [{ ...rule, answer }, all] })(asked, asker))._tag)
  }
  assert.strictEqual(new Set(said).size, 1)
  return said[0] === "Decline"
})

describe("a declining rule (promise 23)", () => {
  const git: McpApprovalRule = { within: "/srv/project/.git", answer: { decline: "Leave .git alone." } }
  const files: McpApprovalRule = { kind: "file-change", within: "/srv/project", answer: "approve" }

  test.each([
    [["a.js"], "Approve"],
    [["a.js", "b/c.js"], "Approve"],
    [[".git/config"], "Decline"],
    [["a.js", ".git/config"], "Decline"],
    [[".git/config", "a.js"], "Decline"],
    [["a.js", "b/../.git/hooks/pre-commit", "c.js"], "Decline"],
    [["a.js", "../elsewhere"], "Decline"],
    [[], "Decline"],
  ] as const)("for .git before an approving rule for the project decides %j with %s", function* ([paths, said]) {
    const policy = McpApproval.make({ rules: [git, files] })
    assert.strictEqual((yield* policy(request({ paths }), asker))._tag, said)
  })

  const inGit = { within: "/srv/project/.git" }
  const onWindows = { within: "C:\\srv\\.git" }
  const secret = { within: "/srv/secret" }
  const touch = { kind: "command", command: "touch config" } as const
  const shell = { kind: "permission", tool: "shell", command: "docker ps" } as const
  const read = { kind: "tool", tool: "Read", paths: undefined } as const
  const nowhere = { cwd: undefined, paths: ["a"] } as const
  const windows = (path: string) => ({ cwd: "C:\\srv", paths: [path] })

  test.each<readonly [Omit<McpApprovalRule, "answer">, Given, boolean]>([
    // A directory that contains it: the change may write everything below.
    [inGit, { paths: ["/srv/project"] }, true],
    [inGit, { paths: ["/"] }, true],
    [inGit, { paths: ["/srv/project/.gitignore"] }, false],
    [inGit, { paths: ["/srv/project/src"] }, false],
    // Names that many file systems treat as equal; the second contains an invisible character.
    [inGit, { paths: [".GIT/config"] }, true],
    [inGit, { paths: [".g\u200cit/config"] }, true],
    // Paths that cannot be resolved.
    [inGit, { paths: ["~/a"] }, true],
    [inGit, { paths: ["a\\b"] }, true],
    [inGit, { paths: ["C:/a"] }, true],
    [inGit, { paths: [""] }, true],
    [inGit, nowhere, true],
    [inGit, { ...nowhere, paths: undefined }, true],
    [{ ...inGit, kind: "tool" }, nowhere, false],
    [{ ...inGit, kind: "tool" }, { ...nowhere, paths: undefined }, false],
    [onWindows, windows("C:\\srv\\.GIT\\config"), true],
    [onWindows, windows("C:/srv/src/a"), false],
    [onWindows, windows("C:\\srv\\GIT~1\\config"), true],
    [onWindows, windows("C:\\srv\\.git::$DATA"), true],
    [onWindows, windows("D:\\a"), false],
    [onWindows, windows("\\srv\\a"), true],
    [inGit, { kind: "permission", paths: ["/srv/project/.git"] }, true],
    [inGit, { kind: "permission", paths: ["/tmp", "/srv/project"] }, true],
    [inGit, { kind: "permission", paths: ["/tmp"] }, false],
    [inGit, { kind: "permission", paths: [] }, false],
    [inGit, { kind: "permission", paths: undefined, cwd: undefined }, true],
    // A command without paths counts as its `cwd`, whether or not the rule has `command`.
    [inGit, { ...touch, paths: undefined, cwd: "/srv/project/.git/hooks" }, true],
    [inGit, { ...touch, paths: undefined, cwd: undefined }, true],
    [{ ...inGit, command: /touch .*/ }, { ...touch, paths: undefined, cwd: "/srv/project/.git" }, true],
    [{ ...inGit, command: /rm .*/ }, { ...touch, paths: undefined, cwd: "/srv/project/.git" }, false],
    [inGit, { ...touch, paths: undefined }, false],
    [inGit, { ...touch, paths: ["/srv/project/.git"] }, true],
    [secret, { ...read, paths: ["/srv/secret/a"], cwd: undefined }, true],
    [secret, { ...read, paths: ["secret/a"], cwd: "/srv" }, true],
    [secret, { ...read, paths: ["/srv"], cwd: undefined }, true],
    [secret, { ...read, paths: ["/srv/open/a"], cwd: undefined }, false],
    [secret, { ...read, tool: "mcp__x__y", cwd: undefined }, false],
    // `command` and `tool` match requests of any kind that have them, unless the rule has `kind`.
    [{ command: /docker/ }, shell, true],
    [{ tool: "shell" }, shell, true],
    [{ tool: /^sh/ }, shell, true],
    [{ tool: "shell", command: /docker/ }, shell, true],
    [{ kind: "command", command: /docker/ }, shell, false],
    [{ tool: "shell", command: /npm/ }, shell, false],
    [{ tool: "she" }, shell, false],
  ])("%j matches %j: %s", function* ([rule, asked, declines]) {
    assert.strictEqual(yield* isDeclined(rule, request(asked)), declines)
  })

  test.each([
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
    "with the command %s matches an expression anywhere in %j, and a string only as a whole: %s",
    function* ([line, asked, matches]) {
      const policy = McpApproval.make({ rules: [{ command: line, answer: "decline" }, { answer: "approve" }] })
      // Twice: an expression with `lastIndex` could match differently the second time.
      for (const _ of [1, 2]) {
        const { _tag } = yield* policy(request({ kind: "command", command: asked }), asker)
        assert.strictEqual(_tag, matches ? "Decline" : "Approve")
      }
    },
  )
})
