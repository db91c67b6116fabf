/** Requests to a server with a root. */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Rooted from "./Rooted.ts"

/**
 * - `clients`: of the server with a root, one for each transport
 * - `free`: starts a thread on a server without a root
 * - `stranger`: the same, on a server that keeps its records elsewhere
 */
interface Subjects {
  readonly at: Rooted.Place
  readonly clients: Readonly<Record<Rooted.FrontName, Rooted.RootedClient>>
  readonly free: Rooted.RootedClient["start"]
  readonly stranger: Rooted.RootedClient["start"]
}

class Subject extends Context.Service<Subject, Subjects>()("Subject") {}

const subject = (name: Rooted.AgentName) =>
  Layer.effect(
    Subject,
    Effect.gen(function* () {
      const at = yield* Rooted.place(name)
      const server = yield* Rooted.server(at, [at.root])
      const client = (front: Rooted.FrontName) => Rooted.client(name, server, front)
      const elsewhere = { XDG_STATE_HOME: join(at.home, "elsewhere") }
      return {
        at,
        clients: { stdio: yield* client("stdio"), http: yield* client("http"), sse: yield* client("sse") },
        free: (prompt, options = {}) => Rooted.startFreely(at, prompt, options),
        stranger: (prompt, options = {}) => Rooted.startFreely(at, prompt, options, elsewhere),
      }
    }),
  )

/** A prompt of each fake that answers, and one that asks to write a file. */
const prompts = {
  codex: {
    say: '[{"message":"said"}]',
    write: (path: string) => {
      const item = { type: "fileChange", id: "f", status: "inProgress", changes: [{ path, kind: { type: "add" } }] }
      return JSON.stringify([
        { event: "item/started", params: { item } },
        { ask: "item/fileChange/requestApproval", params: { itemId: "f", reason: null, grantRoot: null } },
      ])
    },
    declined: /decline/,
  },
  "claude-code": {
    say: "say said",
    write: (path: string) => `ask Write ${JSON.stringify({ file_path: path, content: "x" })}`,
    declined: /"deny"/,
  },
}

/** The directory in the last request to an agent. */
const workedIn = ({ home, name }: Rooted.Place): string => {
  const file = join(home, name === "codex" ? "heard.jsonl" : "starts.jsonl")
  const lines = readFileSync(file, "utf8").trimEnd().split("\n")
  const said = lines.map((line) => JSON.parse(line) as { method?: string; cwd?: string; params?: { cwd?: string } })
  const last = said.findLast(({ method }) => name === "claude-code" || method === "thread/start")
  return (name === "codex" ? last?.params?.cwd : last?.cwd) ?? ""
}

/** Claude Code's own transcript of a thread. */
const leaveTranscript = (home: string, threadId: string, cwd: string) => {
  const project = join(home, ".claude", "projects", "one")
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, `${threadId}.jsonl`), `${JSON.stringify({ cwd })}\n`)
}

const inside: ReadonlyArray<
  readonly [front: Rooted.FrontName, what: string, options: (at: Rooted.Place) => object, where: string]
> = [
  ["stdio", "an omitted cwd, which is the root", () => ({}), ""],
  ["http", "an omitted cwd, which is the root", () => ({}), ""],
  ["sse", "the root itself with a trailing slash as cwd", (at) => ({ cwd: `${at.root}/` }), ""],
  ["stdio", "a relative cwd, which starts from the root", () => ({ cwd: "sub" }), "sub"],
  ["http", "a cwd with .. that ends inside", () => ({ cwd: "out/../sub/." }), "sub"],
  ["sse", "a cwd through a link to the root", (at) => ({ cwd: join(at.home, "link", "sub") }), "sub"],
]

const outside: ReadonlyArray<readonly [what: string, cwd: (at: Rooted.Place) => string]> = [
  ["an absolute path", (at) => at.outside],
  ["the parent directory", () => ".."],
  ["a path with .. that ends outside", () => "sub/../../outside"],
  ["a directory whose name starts with the root's name", (at) => `${at.root}-too`],
  ["a link that leads out", () => "out"],
  ["an absolute path through such a link", (at) => join(at.root, "out", "deep")],
  ["a dangling link", () => "lost"],
  ["a path in upper case", (at) => at.outside.toUpperCase()],
  ["a file", () => "file"],
  ["a directory that does not exist", () => "none"],
]

/** The last of each is not an option of the tool. */
const wide: Readonly<Record<Rooted.AgentName, ReadonlyArray<readonly [what: string, options: object]>>> = {
  codex: [
    ["`sandbox", { sandbox: "danger-full-access" }],
    ["`config", { config: { sandbox_workspace_write: { writable_roots: ["/"] } } }],
    ["`config", { config: { "sandbox_workspace_write.writable_roots": ["/"] } }],
    ["`config", { config: {} }],
    ["`trust-project", { "trust-project": true }],
    ["`runtimeWorkspaceRoots", { runtimeWorkspaceRoots: ["/"] }],
  ],
  "claude-code": [
    ["`permission-mode", { "permission-mode": "bypassPermissions" }],
    ["`config", { config: { permissions: { additionalDirectories: ["/"] } } }],
    ["`config", { config: { permissions: { defaultMode: "bypassPermissions" } } }],
    ["`allowed-tools", { "allowed-tools": ["Bash"] }],
    ["`prompt-commands", { "prompt-commands": true }],
    ["`trust-project", { "trust-project": true }],
    ["`agent", { agent: "reviewer" }],
    ["`add-dir", { "add-dir": ["/"] }],
  ],
}

/** The fronts refuse by turns. */
const frontAt = (clients: Subjects["clients"], index: number) => clients[Rooted.fronts[index % 3] ?? "stdio"]

describe.each(["codex", "claude-code"] as const)("a server of %s with a root (promise 29)", (name) => {
  const { declined, say, write } = prompts[name]

  layer(subject(name), { excludeTestServices: true })((it) => {
    for (const [front, what, options, where] of inside) {
      it.effect(`lets a thread work inside by ${what}, over ${front}`, () =>
        Effect.gen(function* () {
          const { at, clients } = yield* Subject
          const { isError, text } = yield* clients[front].start(say, options(at))
          assert.deepStrictEqual({ isError, text }, { isError: false, text: "said" })
          assert.strictEqual(workedIn(at), join(at.root, where))
        }),
      )
    }

    it.effect("refuses a cwd outside with a message that names the root", () =>
      Effect.gen(function* () {
        const { at, clients } = yield* Subject
        for (const [index, [what, cwd]] of outside.entries()) {
          const text = `\`cwd\` must be an existing directory inside the root ${at.root}; ${cwd(at)} is not.`
          const outcome = yield* frontAt(clients, index).start(say, { cwd: cwd(at) })
          assert.deepStrictEqual(outcome, { text, isError: true, threadId: "" }, what)
        }
      }),
    )

    it.effect("refuses wider options with a message that names the option", () =>
      Effect.gen(function* () {
        const { clients } = yield* Subject
        for (const [index, [option, options]] of wide[name].entries()) {
          const { isError, text, threadId } = yield* frontAt(clients, index).start(say, options)
          assert.deepStrictEqual([isError, threadId], [true, ""], option)
          assert.include(text, option)
        }
      }),
    )

    it.effect(
      "continues a thread that was started inside without a root, and none that was started outside or with wider options",
      () =>
        Effect.gen(function* () {
          const { at, clients, free } = yield* Subject
          const sub = { cwd: join(at.root, "sub") }
          const mine = yield* free(say, sub)
          assert.deepInclude(yield* clients.stdio.reply(mine.threadId, say), { isError: false, text: "said" })
          const options = wide[name].slice(1, 4).map(([, one]) => ({ ...sub, ...one }))
          for (const one of [{ cwd: at.outside }, { cwd: join(at.root, "out") }, ...options]) {
            const { isError, threadId } = yield* free(say, one)
            assert.isFalse(isError)
            const reply = yield* clients.stdio.reply(threadId, say)
            assert.isTrue(reply.isError, JSON.stringify(one))
            const said = `Thread ${threadId} was started outside of the root ${at.root}, or with options`
            assert.include(reply.text, said)
          }
        }),
    )

    it.effect("checks a thread without a record by the agent's own data about it", () =>
      Effect.gen(function* () {
        const { at, clients, stranger } = yield* Subject
        const begun = (cwd: string) =>
          Effect.map(stranger(say, { cwd }), ({ threadId }) => {
            leaveTranscript(at.home, threadId, cwd)
            return threadId
          })
        const mine = yield* begun(join(at.root, "sub"))
        assert.deepInclude(yield* clients.stdio.reply(mine, say), { isError: false, text: "said" })
        for (const cwd of [at.outside, join(at.root, "out")]) {
          const { isError, text } = yield* clients.stdio.reply(yield* begun(cwd), say)
          assert.isTrue(isError, cwd)
          assert.include(text, `the root ${at.root}`)
        }
      }),
    )

    // Codex stores options of a thread, Claude Code does not.
    it.effect.runIf(name === "codex")("gives a thread without a record the sandbox of the user's configuration", () =>
      Effect.gen(function* () {
        const { at, clients, stranger } = yield* Subject
        const { threadId } = yield* stranger(say, { cwd: at.root, sandbox: "danger-full-access" })
        assert.deepInclude(yield* clients.stdio.reply(threadId, say), { isError: false, text: "said" })
        const heard = readFileSync(join(at.home, "heard.jsonl"), "utf8").trimEnd().split("\n")
        const { params } = JSON.parse(heard.findLast((line) => line.includes('"turn/start"')) ?? "{}")
        assert.deepInclude(params, { threadId, sandboxPolicy: { type: "readOnly", networkAccess: false } })
      }),
    )

    it.effect("refuses to continue a thread whose directory has become a link that leads out", () =>
      Effect.gen(function* () {
        const { at, clients } = yield* Subject
        const [moving, moved] = [join(at.root, "moving"), join(at.root, "moved")]
        mkdirSync(moving)
        const { isError, threadId } = yield* clients.stdio.start(say, { cwd: "moving" })
        assert.isFalse(isError)
        renameSync(moving, moved)
        symlinkSync(at.outside, moving)
        const reply = yield* clients.stdio.reply(threadId, say)
        assert.isTrue(reply.isError)
        assert.include(reply.text, "was started outside of the root")
        rmSync(moving)
        renameSync(moved, moving)
        assert.deepInclude(yield* clients.stdio.reply(threadId, say), { isError: false })
      }),
    )

    it.effect(
      "requests the approval of a file inside, and declines one outside or behind a link without a request",
      () =>
        Effect.gen(function* () {
          const { at, clients } = yield* Subject
          const client = clients.stdio
          const { threadId } = yield* client.start(say)
          const writes = (path: string) => Effect.map(client.reply(threadId, write(path)), ({ text }) => text)
          assert.notMatch(yield* writes(join(at.root, "new", "file")), declined)
          assert.strictEqual(client.asked(), 1)
          for (const path of [join(at.outside, "new"), join(at.root, "out", "new"), join(at.root, "lost")]) {
            assert.match(yield* writes(path), declined)
          }
          assert.strictEqual(client.asked(), 1)
        }),
    )
  })
})
