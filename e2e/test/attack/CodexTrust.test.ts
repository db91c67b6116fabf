/** The real Codex reads an untrusted repository, which configures nothing. */
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { type Place, place } from "../../src/AgentServers.ts"
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

/** The last request of the model. */
const lastBody = (at: Place) => Effect.map(at.model.requests, (requests) => JSON.stringify(requests.at(-1)?.body))

/** A command that the repository's rule allows, one that the sandbox allows, and one that requires approval. */
const attempts = (outside: string, cwd: string) =>
  Repository.prompt([`touch ${outside}`, `touch ${join(cwd, "written")}`, "!true"])

/** Runs in a thread that may write what a repository configures, and checks the effects. */
const attempt = Effect.fnUntraced(function* (
  { asked, start }: OfficialClient.OfficialClient,
  { acted, config, forget, outside }: Repository.Repository,
  cwd: string,
  options: Record<string, unknown>,
  expected: Record<string, unknown>,
) {
  forget()
  rmSync(join(cwd, "written"), { force: true })
  const [before, questions] = [config(), asked.length]
  const { content, isError } = yield* start(attempts(outside, cwd), { cwd, ...options })
  assert.isFalse(isError, content)
  assert.strictEqual(config(), before, "No directory becomes trusted for good.")
  const came = { acted: acted(), hasWritten: existsSync(join(cwd, "written")), asked: asked.length - questions }
  assert.deepInclude(came, expected, `${cwd}: ${content}`)
})

const careful = { acted: nothing, hasWritten: true, asked: 1 }
const trusting = { acted: everything, hasWritten: true, asked: 0 }
const write = { sandbox: "workspace-write" }
const trusted = { ...write, "trust-project": true }

describe("the real codex in an untrusted repository (attack: a repository's settings)", () => {
  test.live(
    "reads its AGENTS.md and works in it, and ignores its servers, rules and policy until it is trusted",
    function* () {
      const { at, repository } = yield* made
      const client = yield* OfficialClient.connect(at)
      yield* attempt(client, repository, repository.root, write, careful)
      assert.include(yield* lastBody(at), Repository.instructions)
      yield* attempt(client, repository, repository.root, trusted, trusting)
    },
  )
})

/** A directory inside, a link to it, a worktree of it, a submodule of another, and the directory of temporary files. */
const places: ReadonlyArray<(at: Place, repository: Repository.Repository) => string> = [
  (_, { root }) => join(root, "nested", "deep"),
  (at, { root }) => {
    symlinkSync(root, join(at.directory, "link"))
    return join(at.directory, "link")
  },
  (at, { root }) => {
    Repository.git(root, "worktree", "add", "--quiet", join(at.directory, "worktree"))
    return join(at.directory, "worktree")
  },
  (at, { root }) => {
    const other = join(at.directory, "other")
    mkdirSync(other)
    Repository.git(other, "init", "--quiet")
    Repository.git(other, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root, "sub")
    return join(other, "sub")
  },
  (at) => {
    const temporary = String(at.env["TMPDIR"])
    Repository.hostile(temporary, join(at.directory, "started"))
    rmSync(join(temporary, ".git"), { recursive: true })
    return temporary
  },
]

describe("the real codex, wherever its repository lies (attack: a repository's settings)", () => {
  test.live("ignores its configuration", function* () {
    const { at, repository } = yield* made
    const client = yield* OfficialClient.connect(at)
    for (const place of places) {
      const cwd = place(at, repository)
      yield* attempt(client, repository, cwd, write, careful)
      yield* attempt(client, repository, cwd, trusted, trusting)
    }
  })

  test.live(
    "ignores its configuration if no sandbox is named, and uses that of the user's configuration",
    function* () {
      const { at, repository } = yield* made
      const client = yield* OfficialClient.connect(at)
      yield* attempt(client, repository, repository.root, {}, { ...careful, hasWritten: false })
      repository.configure((text) => text.replace('"read-only"', '"workspace-write"'))
      yield* attempt(client, repository, repository.root, {}, careful)
      // The user's configuration excludes temporary directories from the sandbox.
      const temporary = join(String(at.env["TMPDIR"]), "file")
      yield* client.start(Repository.prompt([`touch ${temporary}`]), { cwd: repository.root })
      assert.isFalse(existsSync(temporary))
    },
  )

  test.live(
    "ignores its configuration in a thread that continues after a restart, with the same sandbox",
    function* () {
      const { at, repository } = yield* made
      const { outside, root } = repository
      const first = yield* Effect.scoped(
        Effect.flatMap(OfficialClient.connect(at), ({ start }) =>
          start(Repository.prompt(["true"]), { cwd: root, ...write }),
        ),
      )
      const before = repository.config()
      const { asked, reply } = yield* OfficialClient.connect(at)
      const { content } = yield* reply(first.threadId, attempts(outside, root))
      assert.deepStrictEqual(repository.acted(), nothing, content)
      assert.isTrue(existsSync(join(root, "written")), content)
      assert.lengthOf(asked, 1)
      assert.strictEqual(repository.config(), before)
    },
  )

  test.live("ignores its configuration and its AGENTS.md if the user has trusted it before", function* () {
    const { at, repository } = yield* made
    repository.trust(repository.root)
    const client = yield* OfficialClient.connect(at)
    for (const cwd of [repository.root, join(repository.root, "nested")]) {
      yield* attempt(client, repository, cwd, write, careful)
      assert.notInclude(yield* lastBody(at), Repository.instructions)
      yield* attempt(client, repository, cwd, trusted, trusting)
      assert.include(yield* lastBody(at), Repository.instructions)
    }
    rmSync(join(repository.root, ".codex"), { recursive: true })
    yield* attempt(client, repository, repository.root, {}, { acted: nothing, asked: 1 })
    assert.include(yield* lastBody(at), Repository.instructions, "Without settings of its own it stays trusted.")
  })
})
