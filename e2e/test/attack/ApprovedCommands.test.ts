/** What an approved command can start; see docs/guides/approve-commands.md. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { McpApproval } from "@zain/core"
import type { McpApprovalRequest, McpApprovalRule } from "@zain/core/McpApproval"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"

interface Attack {
  readonly name: string
  /** The files that the agent writes, by their paths in the project. */
  readonly files: Readonly<Record<string, string>>
  /** The command that it runs then, and its directory. */
  readonly command: string
  readonly cwd: string
}

const marker = "#!/bin/sh\ntouch acted\n"
const config = '[core]\nrepositoryformatversion = 0\nfsmonitor = "./x"\n'

const attacks: ReadonlyArray<Attack> = [
  {
    name: "`git status` with a configuration that the agent wrote",
    files: {
      ".git/HEAD": "ref: refs/heads/a\n",
      ".git/objects/a": "",
      ".git/refs/a": "",
      ".git/config": config,
      x: marker,
    },
    command: "git status",
    cwd: ".",
  },
  {
    name: "`git status` in a repository that the agent wrote file by file among the docs",
    files: {
      ...{ "docs/HEAD": "ref: refs/heads/a\n", "docs/objects/a": "", "docs/refs/a": "", "docs/x": marker },
      "docs/config": '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = "."\nfsmonitor = "./x"\n',
    },
    command: "git status",
    cwd: "docs",
  },
  {
    name: "`npm test` with scripts that the agent wrote",
    files: { "package.json": JSON.stringify({ scripts: { test: "touch acted" } }) },
    command: "npm test",
    cwd: ".",
  },
]

/** Wide rules, meant for harmless commands. */
const wide = (): ReadonlyArray<McpApprovalRule> => [
  { command: /git (status|diff)/, answer: "approve" },
  { command: "npm test", answer: "approve" },
  { kind: "file-change", answer: "approve" },
]
/** The rules of the page. */
const holding = (project: string): ReadonlyArray<McpApprovalRule> => [
  { kind: "permission", answer: { decline: "Stay within your sandbox." } },
  { kind: "file-change", within: join(project, "docs"), answer: "approve" },
  { command: /ls( -la?)?( [\w./]+)?/, cwd: project, answer: "approve" },
]
/** Runs an attack with an agent without a sandbox under these rules; returns whether it succeeded. */
const acts = (attack: Attack, rules: (project: string) => ReadonlyArray<McpApprovalRule>) =>
  Effect.gen(function* () {
    const project = yield* directory
    mkdirSync(join(project, "docs"))
    const policy = McpApproval.make({ rules: rules(project) })
    const approved = (request: McpApprovalRequest) =>
      Effect.map(
        policy(request, { provider: "test", sessionId: "" as never, turn: 1 }),
        ({ _tag }) => _tag === "Approve",
      )
    for (const [name, text] of Object.entries(attack.files)) {
      const path = join(project, name)
      if (!(yield* approved({ kind: "file-change", message: "?", paths: [path] }))) continue
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      chmodSync(path, 0o755)
    }
    const { command } = attack
    const cwd = join(project, attack.cwd)
    if (yield* approved({ kind: "command", message: "?", command, cwd })) {
      const env = { PATH: process.env["PATH"], HOME: project, GIT_CEILING_DIRECTORIES: dirname(project) }
      try {
        execFileSync("/bin/sh", ["-c", command], { cwd, env, stdio: "ignore" })
      } catch {
        // The command may have run all the same.
      }
    }
    return [project, cwd].some((place) => existsSync(join(place, "acted")))
  }).pipe(Effect.scoped)

describe("an approved command (attack: a command that runs what the agent wrote)", () => {
  test.live.each(attacks)("$name: it succeeds under wide rules, and fails under those of the page", function* (attack) {
    assert.isTrue(yield* acts(attack, wide))
    assert.isFalse(yield* acts(attack, holding))
  })
})
