/** An untrusted repository is read, and configures nothing. */
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../packages/core/test/Test.ts"
import { type Place, place } from "../../src/AgentServers.ts"
import { isWhole } from "../../src/Breadth.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import * as Repository from "../../src/Repository.ts"

const [nothing, everything] = [
  { server: false, rule: false },
  { server: true, rule: true },
]

const made = Effect.map(place("codex", { respond: Repository.respond }), (at) => ({
  at,
  repository: Repository.make(at),
}))

const connect = (at: Place) => OfficialClient.connect(at)

/** The last request of the model. */
const lastBody = (at: Place) => Effect.map(at.model.requests, (requests) => JSON.stringify(requests.at(-1)?.body))

/** What the rule of the repository allows, what the sandbox of a thread that may write does, and what must be asked. */
const attempts = (outside: string, cwd: string) =>
  Repository.prompt([`touch ${outside}`, `touch ${join(cwd, "written")}`, "!true"])

/** Does what a repository would have done, in a thread that may write. */
const attempt = Effect.fnUntraced(function* (
  { asked, start }: OfficialClient.OfficialClient,
  { acted, config, forget, outside }: Repository.Repository,
  cwd: string,
  options: Record<string, unknown>,
) {
  forget()
  rmSync(join(cwd, "written"), { force: true })
  const [before, questions] = [config(), asked.length]
  const { content, isError } = yield* start(attempts(outside, cwd), { cwd, ...options })
  assert.isFalse(isError, content)
  assert.strictEqual(config(), before, "No directory becomes trusted for good.")
  return { acted: acted(), content, hasWritten: existsSync(join(cwd, "written")), asked: asked.length - questions }
})

const careful = { acted: nothing, hasWritten: true, asked: 1 }
const trusting = { acted: everything, hasWritten: true, asked: 0 }
const write = { sandbox: "workspace-write" }
const trusted = { ...write, "trust-project": true }

describe("the real codex in an untrusted repository (attack: a repository's settings)", () => {
  test.live(
    "reads its AGENTS.md and works in it; its servers, rules and policy do not count, until it is trusted",
    function* () {
      const { at, repository } = yield* made
      const client = yield* connect(at)
      const { content, ...came } = yield* attempt(client, repository, repository.root, write)
      assert.deepStrictEqual(came, careful, content)
      assert.include(yield* lastBody(at), Repository.instructions)
      const { content: control, ...acted } = yield* attempt(client, repository, repository.root, trusted)
      assert.deepStrictEqual(acted, trusting, control)
    },
  )
})

const places: ReadonlyArray<readonly [what: string, cwd: (at: Place, repository: Repository.Repository) => string]> = [
  ["a directory inside", (_, { root }) => join(root, "nested", "deep")],
  [
    "a link to it",
    (at, { root }) => {
      symlinkSync(root, join(at.directory, "link"))
      return join(at.directory, "link")
    },
  ],
  [
    "a worktree of it",
    (at, { root }) => {
      Repository.git(root, "worktree", "add", "--quiet", join(at.directory, "worktree"))
      return join(at.directory, "worktree")
    },
  ],
  [
    "a submodule of another",
    (at, { root }) => {
      const other = join(at.directory, "other")
      mkdirSync(other)
      Repository.git(other, "init", "--quiet")
      Repository.git(other, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root, "sub")
      return join(other, "sub")
    },
  ],
  [
    "the directory of temporary files",
    (at) => {
      const temporary = String(at.env["TMPDIR"])
      Repository.hostile(temporary, join(at.directory, "started"))
      rmSync(join(temporary, ".git"), { recursive: true })
      return temporary
    },
  ],
]

describe.runIf(isWhole)("the real codex, wherever its repository lies (attack: a repository's settings)", () => {
  test.live("lets nothing of it count", function* () {
    const { at, repository } = yield* made
    const client = yield* connect(at)
    for (const [what, cwd] of places) {
      const where = cwd(at, repository)
      const { content, ...came } = yield* attempt(client, repository, where, write)
      assert.deepStrictEqual(came, careful, `${what}: ${content}`)
      const { content: control, ...acted } = yield* attempt(client, repository, where, trusted)
      assert.deepStrictEqual(acted, trusting, `${what}: ${control}`)
    }
  })

  test.live(
    "lets nothing of it count where no sandbox is named, and gives the one of its user's configuration",
    function* () {
      const { at, repository } = yield* made
      const client = yield* connect(at)
      const reading = yield* attempt(client, repository, repository.root, {})
      assert.deepInclude(reading, { ...careful, hasWritten: false }, reading.content)
      repository.configure((text) => text.replace('"read-only"', '"workspace-write"'))
      const writing = yield* attempt(client, repository, repository.root, {})
      assert.deepInclude(writing, careful, writing.content)
      // The user's configuration keeps temporary files out of it.
      const temporary = join(String(at.env["TMPDIR"]), "file")
      yield* client.start(Repository.prompt([`touch ${temporary}`]), { cwd: repository.root })
      assert.isFalse(existsSync(temporary))
    },
  )

  test.live(
    "lets nothing of it count in a thread that goes on after a restart, and gives it the same sandbox",
    function* () {
      const { at, repository } = yield* made
      const { outside, root } = repository
      const first = yield* Effect.scoped(
        Effect.flatMap(connect(at), ({ start }) => start(Repository.prompt(["true"]), { cwd: root, ...write })),
      )
      const before = repository.config()
      const { asked, reply } = yield* connect(at)
      const { content } = yield* reply(first.threadId, attempts(outside, root))
      assert.deepStrictEqual(repository.acted(), nothing, content)
      assert.isTrue(existsSync(join(root, "written")), content)
      assert.lengthOf(asked, 1)
      assert.strictEqual(repository.config(), before)
    },
  )

  test.live(
    "lets nothing of it count where its user has trusted it before; then its AGENTS.md is not read",
    function* () {
      const { at, repository } = yield* made
      repository.trust(repository.root)
      const client = yield* connect(at)
      for (const cwd of [repository.root, join(repository.root, "nested")]) {
        const { content, ...came } = yield* attempt(client, repository, cwd, write)
        assert.deepStrictEqual(came, careful, content)
        assert.notInclude(yield* lastBody(at), Repository.instructions)
        const { content: control, ...acted } = yield* attempt(client, repository, cwd, trusted)
        assert.deepStrictEqual(acted, trusting, control)
        assert.include(yield* lastBody(at), Repository.instructions)
      }
      rmSync(join(repository.root, ".codex"), { recursive: true })
      const { content, ...came } = yield* attempt(client, repository, repository.root, {})
      assert.deepInclude(came, { acted: nothing, asked: 1 }, content)
      assert.include(yield* lastBody(at), Repository.instructions, "Without settings of its own it stays trusted.")
    },
  )
})
