/** Which requests the rules of a policy match. */
import { assert, describe, it } from "@effect/vitest"
import { McpApproval } from "@zain/core"
import type { McpApprovalRule } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import { ask, asker, byRule, change, command } from "./ApprovalAsk.ts"

const { approve, decline } = McpApproval
describe("approval rules (promise 23)", () => {
  test("decide by the first match; a rule without conditions matches everything", function* () {
    const rules: ReadonlyArray<McpApprovalRule> = [
      { kind: "file-change", answer: { decline: "Only read." } },
      { command: "git status", answer: "approve-for-session" },
      { answer: approve },
    ]
    assert.deepStrictEqual((yield* ask({ rules }, change("a"))).decision, decline("Only read."))
    assert.strictEqual(yield* byRule(rules, command("git status")), "ApproveForSession")
    assert.strictEqual(yield* byRule(rules, command("rm -rf /")), "Approve")
  })

  test.each([
    ["git status", "git status", true],
    ["git status", "git status; rm -rf .", false],
    ["git status", "git status\nrm -rf .", false],
    [/git (status|diff)/, "git diff", true],
    [/git (status|diff)/, "git diff; rm -rf .", false],
    [/git (status|diff)/, "cd / && git diff", false],
    [/git (status|diff)/gm, "git diff\nrm -rf .", false],
    [/^git status$/m, "git status\nrm -rf .", false],
    [/a|ab/, "ab", true],
    [/a|ab/, "abc", false],
    [/GIT STATUS/i, "git status", true],
  ] as const)("match the command %s with the whole of %j: %s", function* ([wanted, line, matches]) {
    const rules: ReadonlyArray<McpApprovalRule> = [{ command: wanted, answer: "approve" }]
    const policy = McpApproval.make({ rules })
    // Twice: an expression with `lastIndex` could match differently the second time.
    for (const _ of [1, 2]) {
      assert.strictEqual((yield* policy(command(line), asker))._tag, matches ? "Approve" : "Decline")
    }
  })

  test("with `command` match only commands and with `tool` only tools, unless `kind` names another kind", function* () {
    const line = /docker .*/
    const tool = { kind: "tool", message: "May I?", tool: "shell", command: "docker ps" } as const
    const permission = { ...tool, kind: "permission" } as const
    for (const request of [tool, permission]) {
      assert.strictEqual(yield* byRule([{ command: line, answer: "approve" }], request), "default")
      const { kind } = request
      assert.strictEqual(yield* byRule([{ kind, command: line, answer: "approve" }], request), "Approve")
    }
    assert.strictEqual(yield* byRule([{ tool: "shell", answer: "approve" }], tool), "Approve")
    assert.strictEqual(yield* byRule([{ tool: "shell", answer: "approve" }], permission), "default")
    const both: McpApprovalRule = { command: line, tool: "shell", answer: "approve" }
    assert.strictEqual(yield* byRule([both], tool), "default")
    assert.strictEqual(yield* byRule([{ ...both, kind: "tool" }], tool), "Approve")
    assert.strictEqual(yield* byRule([{ kind: "permission", tool: "shell", answer: "approve" }], tool), "default")
  })

  test("with `within` match no permission, as it grants more than the paths that it names", function* () {
    const grant = { ...change("/srv/project/a"), kind: "permission", command: "npm test" } as const
    for (const rule of [{}, { kind: "permission" }, { kind: "permission", command: "npm test" }] as const) {
      assert.strictEqual(yield* byRule([{ ...rule, within: "/srv/project", answer: "approve" }], grant), "default")
    }
    const { paths: _, ...elsewhere } = grant
    const named = { kind: "permission", command: "npm test", within: "/srv/project", answer: "approve" } as const
    assert.strictEqual(yield* byRule([named], elsewhere), "default")
    assert.strictEqual(yield* byRule([{ kind: "permission", answer: "approve" }], grant), "Approve")
  })

  test("with `command` or `tool` match no request without one", function* () {
    assert.strictEqual(yield* byRule([{ command: /.*/, answer: "approve" }], change("a")), "default")
    assert.strictEqual(yield* byRule([{ tool: /.*/, answer: "approve" }], command("ls")), "default")
    const tool = { kind: "tool", message: "May I?", tool: "WebFetch" } as const
    assert.strictEqual(yield* byRule([{ tool: "WebFetch", answer: "approve" }], tool), "Approve")
    assert.strictEqual(yield* byRule([{ tool: "Web", answer: "approve" }], tool), "default")
  })

  const directories = {
    "/srv/project": [
      [["/srv/project/a", "/srv/project/deep/b"], true],
      [["a", "./b", "c/../d"], true],
      [["/srv/project"], false],
      [["/srv/project/.git/config"], false],
      [["a/.GIT/hooks/pre-commit"], false],
      [[".mcp.json"], false],
      [["docs/.claude/settings.json"], false],
      [["a.js", ".vscode/tasks.json"], false],
      [[".husky/../a"], true],
      [[".gitignore"], true],
      [["docs/git/config"], true],
      [["/srv/project/a", "/etc/passwd"], false],
      [["../a"], false],
      [["a/../../b"], false],
      [["/srv/project/../other"], false],
      [["/srv/projects/a"], false],
      [["/srv/project/a\\..\\..\\b"], false],
      [["a\\b"], false],
      [["~/.bashrc"], false],
      [["~root/.bashrc"], false],
      [["/srv/project/~/a"], true],
      [["C:\\a"], false],
      [["C:/a"], false],
      [["C:a"], false],
      [["file:///etc/passwd"], false],
      [["\\\\server\\share\\a"], false],
      [[], false],
    ],
    // A Windows drive is in no POSIX directory, not even in the root.
    "/": [
      [["C:/a"], false],
      [["C:\\a"], false],
      [["~/a"], false],
    ],
    "C:\\srv": [
      [["C:\\srv\\a"], true],
      [["C:/srv/b"], true],
      [["sub\\c"], true],
      [["..\\c"], false],
      [["C:\\srv\\..\\d"], false],
      [["D:\\srv\\a"], false],
      [["sub\\.. \\..\\x"], false],
      [["D:x"], false],
      [["/srv/a"], false],
      [["\\srv\\a"], false],
      [["~\\a"], false],
      [["\\\\server\\C:\\srv\\a"], false],
    ],
    // `..` does not leave a share.
    "\\\\server\\share": [
      [["\\\\server\\share\\a"], true],
      [["\\\\server\\share\\..\\other\\a"], false],
      [["\\\\server\\other\\..\\share\\a"], false],
      [["\\\\server\\share\\.\\a"], false],
      [["\\\\server\\..\\server\\share\\a"], false],
      [["a"], true],
      [["a\\..\\..\\b"], false],
      [["//server/share/a"], false],
    ],
  } as const
  const places = Object.entries(directories).flatMap(([within, rows]) =>
    rows.map(([paths, matches]) => [within, paths, matches] as const),
  )
  test.each(places)("within %s match %j: %s", function* ([within, paths, matches]) {
    const said = yield* byRule([{ within, answer: "approve" }], { ...change(...paths), cwd: within })
    assert.strictEqual(said, matches ? "Approve" : "default")
  })

  test("with `within` match no relative path of a request without an absolute `cwd`", function* () {
    const { cwd: _, ...request } = change("a")
    assert.strictEqual(yield* byRule([{ within: "/", answer: "approve" }], request), "default")
    assert.strictEqual(yield* byRule([{ within: "/", answer: "approve" }], { ...request, cwd: "srv" }), "default")
  })

  test("that approve within a directory exclude configuration of programs below it, such as `.git`", function* () {
    const hook = change(".git/hooks/pre-commit")
    const approving = (within: string): McpApprovalRule => ({ within, answer: "approve" })
    assert.strictEqual(yield* byRule([approving("/srv/project/.git")], hook), "Approve")
    assert.strictEqual(yield* byRule([approving("/srv/project/.git")], change(".git/.vscode/a")), "default")
    assert.strictEqual(yield* byRule([{ within: "/srv", answer: "decline" }], hook), "Decline")
    const commit: McpApprovalRule = { command: "git commit", within: "/srv/project", answer: "approve" }
    const asked = { ...command("git commit"), cwd: "/srv/project" }
    assert.strictEqual(yield* byRule([commit], asked), "Approve")
    assert.strictEqual(yield* byRule([commit], { ...asked, cwd: "/srv/project/.git" }), "default")
  })

  test.each([
    ["/srv", "/srv", true, true],
    ["/srv", "/srv/", true, true],
    ["/srv", "/srv/a", false, false],
    ["/srv/a", "/srv", false, false],
    ["/srv", "/SRV", false, true],
    ["/srv", undefined, false, true],
  ] as const)(
    "with cwd %s match a command in %s: approving %s, declining %s",
    function* ([cwd, at, approves, declines]) {
      const { cwd: _, ...asked } = command("git status")
      const request = at === undefined ? asked : { ...asked, cwd: at }
      const rule = { command: "git status", cwd } as const
      assert.strictEqual(yield* byRule([{ ...rule, answer: "approve" }], request), approves ? "Approve" : "default")
      assert.strictEqual(yield* byRule([{ ...rule, answer: "decline" }], request), declines ? "Decline" : "default")
    },
  )

  test.each([
    [/git commit -m "[^"]*"/, 'git commit -m "a"', true],
    [/git commit -m "[^"]*"/, 'git commit -m "a\nb"', false],
    [/echo\s+a/, "echo\na", false],
    [/echo \W*/, "echo \u2028", false],
    [/echo .*/s, "echo a\rb", false],
    [/echo [^\n;]*/, "echo a\nb", false],
    [/echo [\w\n]*/, "echo a\nb", true],
    [/echo a\nb[^;]*/, "echo a\nbc", true],
    [/echo a\nb[^;]*/, "echo a\nb\nc", false],
    [/echo [\p{L}--[a-z]]*/v, "echo A", true],
    [/(?![\s\S]*\bsudo\b)[\w \n]+/, "ls\nsudo reboot", false],
    [/(?!.*sudo)[\w \n]+/s, "ls\nsudo reboot", false],
    [/[\w \n]+(?<!sudo[\s\S]*)/, "sudo x\nls", false],
    [/(?![\s\S]*\bsudo\b)[\w \n]+/, "ls\nwho", true],
    [/ls[\t-~]*/, "ls\nrm", false],
  ] as const)("match a line break only if %s names one: %j %s", function* ([expression, line, matches]) {
    const said = yield* byRule([{ command: expression, answer: "approve" }], command(line))
    assert.strictEqual(said, matches ? "Approve" : "default")
    const anywhere = yield* byRule([{ command: /b$/, answer: "decline" }], command("echo a\nb"))
    assert.strictEqual(anywhere, "Decline")
  })

  test.each([
    [/(a+)+b/, "rules.0.command"],
    [/([\w-]+ ?)+\.js/, "rules.0.command"],
    [/(x+x+)+y/i, "rules.0.command"],
  ] as const)(
    "reject the expression %s, which can take exponential time, and name its path",
    function* ([expression, path]) {
      for (const answer of ["approve", "decline"] as const) {
        const { by, decision } = yield* ask({ rules: [{ command: expression, answer }], ask: () => "approve" })
        assert.strictEqual(by, "failure")
        assert.include(JSON.stringify(decision), `\`${path}\` can take exponential time`)
      }
    },
  )

  test("may share an expression: approving matches the whole command, declining any part", function* () {
    const ls = /ls( -l)?/
    const approve: McpApprovalRule = { command: ls, cwd: "/srv", answer: "approve" }
    const decline: McpApprovalRule = { command: ls, answer: "decline" }
    assert.strictEqual(yield* byRule([approve, decline], command("ls -l")), "Approve")
    assert.strictEqual(yield* byRule([approve, decline], command("ls; rm -rf .")), "Decline")
    assert.strictEqual(yield* byRule([decline, approve], command("sudo ls")), "Decline")
  })

  test("with only `within` approve no tool, as its paths do not say what it does", function* () {
    const run = { kind: "tool", message: "?", tool: "mcp__shell__exec", paths: ["/srv/project"] } as const
    assert.strictEqual(yield* byRule([{ within: "/srv/project", answer: "approve" }], run), "default")
    const named: McpApprovalRule = { tool: "mcp__shell__exec", within: "/srv/project", answer: "approve" }
    assert.strictEqual(yield* byRule([named], run), "Approve")
  })

  test.live("decline if a match takes longer than 50 ms, without blocking the event loop", function* () {
    // The check for exponential time does not detect this expression.
    const expression = /(?:a|a)*/
    let beats = 0
    const timer = setInterval(() => beats++, 1)
    const { by, decision } = yield* ask(
      { rules: [{ command: expression, answer: "approve" }] },
      command(`${"a".repeat(40)}!`),
    )
    clearInterval(timer)
    assert.strictEqual(by, "failure")
    assert.include(JSON.stringify(decision), "50 ms")
    assert.isAbove(beats, 5)
  })

  test("with `within` approve a command by its `cwd` only together with `command`", function* () {
    assert.strictEqual(yield* byRule([{ within: "/srv", answer: "approve" }], command("rm -rf /")), "default")
    const named: McpApprovalRule = { command: /npm test/, within: "/srv", answer: "approve" }
    assert.strictEqual(yield* byRule([named], command("npm test")), "Approve")
    assert.strictEqual(yield* byRule([named], { ...command("npm test"), cwd: "/etc" }), "default")
  })

  test.each([
    [[{ comand: "ls", answer: "approve" }], "`rules.0.comand` is not known here"],
    [[{ command: undefined, answer: "approve" }], "`rules.0.command` is not valid"],
    [
      [{ answer: "approve" }, { within: "project", answer: "approve" }],
      "`rules.1.within` is not valid; expected the absolute path of a directory",
    ],
    [
      [{ answer: "yes" }],
      "`rules.0.answer` is not valid; expected approve, approve-for-session, decline or { decline: reason }",
    ],
    [[{ kind: "command" }], "`rules.0.answer` is missing"],
    [{ answer: "approve" }, "`rules` is not valid"],
  ] as const)("that are invalid, %j, decline everything, and the reason names the path", function* ([rules, problem]) {
    const { by, decision } = yield* ask({ rules: rules as never, ask: () => "approve" })
    assert.strictEqual(by, "failure")
    assert.include(JSON.stringify(decision), problem)
  })

  it.each([
    [{ rule: [] }, "`rule` is not known here; known keys: ask, log, deadline, rules"],
    [{ ask: "approve" }, "`ask` is not valid; expected a function"],
    [false, "the value is not valid; expected an object"],
    [null, "the value is not valid; expected an object"],
  ])("in options that are invalid, %j, are a problem with a path", (options, problem) => {
    assert.strictEqual(McpApproval.problem(options as never), problem)
  })

  test("with an invalid `deadline` beside them decline everything", function* () {
    for (const deadline of ["soon", 0, "-1 seconds"]) {
      const { by, said } = yield* ask({ ask: () => "approve", deadline: deadline as never })
      assert.deepStrictEqual([by, said], ["failure", "Decline"])
    }
  })
})
