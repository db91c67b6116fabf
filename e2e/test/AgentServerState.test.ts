/** The restrictions of a thread, where its record cannot be written or was lost, with the real agents. */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { InvalidRequest, type McpClientAdapter, type McpEvent } from "@zain/core"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { type Place, place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Repository from "../src/Repository.ts"
import * as Wishes from "../src/Wishes.ts"

/** An agent whose user's own settings let it write `written` without an approval. */
const free = {
  codex: Effect.fnUntraced(function* () {
    const at = yield* place("codex", { respond: Repository.respond })
    const file = join(at.env["CODEX_HOME"] ?? "", "config.toml")
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text.replace(/^sandbox_mode.*$/m, 'sandbox_mode = "danger-full-access"'))
    return { at, ask: (name: string) => Repository.prompt([`touch ${join(at.directory, name)}`]) }
  }),
  "claude-code": Effect.fnUntraced(function* () {
    const at = yield* place("claude-code")
    const settings = { permissions: { defaultMode: "acceptEdits" } }
    writeFileSync(join(at.env["CLAUDE_CONFIG_DIR"] ?? "", "settings.json"), JSON.stringify(settings))
    return { at, ask: (name: string) => Wishes.use("Write", { file_path: join(at.directory, name), content: "x" }) }
  }),
}

const restrictions = [
  { agent: "codex", options: { approvalPolicy: "never", sandbox: "read-only" }, isKept: true },
  { agent: "codex", options: { approvalPolicy: "never", sandbox: "workspace-write" }, isKept: true },
  { agent: "claude-code", options: { permissionMode: "plan" }, isKept: true },
  { agent: "claude-code", options: { disallowedTools: ["Write"] }, isKept: false },
] as const

const configOf = (at: Place, options: object, url?: string) => {
  const config = OwnClient.config(at, url === undefined ? { front: "stdio" } : { front: "http", url })
  return { ...config, providerOptions: { cwd: at.directory, ...options } }
}

const turn = Effect.fnUntraced(function* (client: McpClientAdapter, at: Place, options: object, content: string) {
  const session = yield* client.openSession(configOf(at, options))
  const answer = yield* OwnClient.ask(client, session, content)
  yield* client.closeSession(session)
  assert.isFalse(answer.isError, answer.content)
  return answer
})

const isWarning = (event: McpEvent) =>
  event._tag === "Raw" && event.method === "warning" && JSON.stringify(event.params).includes("Zain has no record")

describe("a thread of the real (promise 35)", () => {
  test.live.each(restrictions)(
    "$agent with $options does not open where its record cannot be written",
    function* ({ agent, options }) {
      const { at, ask } = yield* free[agent]()
      const state = join(at.directory, "a-file")
      writeFileSync(state, "")
      Object.assign(at.env, { XDG_STATE_HOME: state })
      const client = yield* OwnClient.adapter(agent)
      const { url } = yield* at.serve("http")
      for (const front of [undefined, String(url)]) {
        const error = yield* Effect.flip(client.openSession(configOf(at, options, front)))
        assert.deepInclude(error, { _tag: "InvalidRequest", reason: "invalid-config", delivery: "not-sent" })
        assert.include(error.message, `\`${Object.keys(options)[0]}\``)
        assert.include(error.message, `${state}/zain/${agent} cannot be written (ENOTDIR: not a directory).`)
        assert.include(error.message, "Set XDG_STATE_HOME")
        assert.isTrue(error instanceof InvalidRequest)
      }
      assert.lengthOf(yield* at.model.requests, 0)
      const { threadId } = yield* turn(client, at, { model: "scripted-model" }, ask("written"))
      assert.isTrue(existsSync(join(at.directory, "written")))
      assert.isDefined(threadId)
    },
  )

  test.live.each(restrictions)(
    "$agent that began with $options is as restricted as the agent keeps it, and says so, after its record was lost",
    function* ({ agent, isKept, options }) {
      const { at, ask } = yield* free[agent]()
      const client = yield* OwnClient.adapter(agent)
      // Outside of what a sandbox may write.
      const isWritable = Object.values<unknown>(options).includes("workspace-write")
      const name = isWritable ? "../../etc/zain-written" : "written"
      const path = join(at.directory, name)
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(path, { force: true })))
      const first = yield* turn(client, at, options, ask(name))
      assert.isFalse(existsSync(path))
      assert.isFalse(first.events.some(isWarning))
      const remembered = yield* turn(client, at, { threadId: first.threadId }, ask(name))
      assert.isFalse(existsSync(path))
      assert.isFalse(remembered.events.some(isWarning))
      rmSync(join(at.directory, ".local/state/zain"), { recursive: true })
      const later = yield* turn(client, at, { threadId: first.threadId }, ask(name))
      assert.isTrue(later.events.some(isWarning))
      assert.strictEqual(existsSync(path), !isKept)
    },
  )

  test.live("codex without a record can reach no more than when it began, by a wider configuration", function* () {
    const { at } = yield* free.codex()
    const [file, other] = [join(at.env["CODEX_HOME"] ?? "", "config.toml"), join(at.directory, "other")]
    const temporary = join(tmpdir(), `zain-${randomUUID()}`)
    mkdirSync(other)
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(temporary, { force: true })))
    const before = readFileSync(file, "utf8")
    const configure = (more: string) => writeFileSync(file, `${before}\n[sandbox_workspace_write]\n${more}`)
    const network = `(exec 3<>/dev/tcp/127.0.0.1/${new URL(at.model.url).port})`
    const reach = Repository.prompt([
      `touch ${other}/file && echo root; touch ${temporary} && echo temporary; bash -c '${network}' && echo network; touch ${at.work}/own && echo own`,
    ])
    const client = yield* OwnClient.adapter("codex")
    const reached = Effect.fnUntraced(function* (options: object) {
      const { content, threadId } = yield* turn(client, at, { cwd: at.work, ...options }, reach)
      return { threadId, words: content.match(/^(root|temporary|network|own)$/gm) }
    })
    configure("exclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n")
    const { threadId, words } = yield* reached({ approvalPolicy: "never", sandbox: "workspace-write" })
    assert.deepStrictEqual(words, ["own"])
    rmSync(join(at.directory, ".local/state/zain"), { recursive: true })
    configure(`network_access = true\nwritable_roots = [${JSON.stringify(other)}]\n`)
    const today = yield* reached({ approvalPolicy: "never", sandbox: "workspace-write" })
    assert.deepStrictEqual(today.words, ["root", "temporary", "network", "own"])
    assert.deepStrictEqual((yield* reached({ threadId })).words, ["own"])
    // The record that a new option begins has the restrictions too.
    assert.deepStrictEqual((yield* reached({ threadId, compactPrompt: "Be brief." })).words, ["own"])
    assert.deepStrictEqual((yield* reached({ threadId })).words, ["own"])
  })
})
