/** What a client of a server can do to conversations that are not its own, by `zain/threads`. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { agents, type Place, place } from "../../src/AgentServers.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import { connect } from "../../src/ThreadsClient.ts"
import * as Wishes from "../../src/Wishes.ts"

const stdio = ({ command }: Place, args: ReadonlyArray<string>) =>
  new StdioClientTransport({ ...command("stdio", args), stderr: "inherit" }) as Transport

/** Everything that reaches one thread. */
const actions = [
  { action: "read", limit: 1 },
  { action: "fork" },
  { action: "rename", title: "Mine" },
  { action: "archive" },
  { action: "unarchive" },
  { action: "delete" },
]

const say = Wishes.prompt({ _tag: "Say", text: "secret" }).text

const begun = (at: Place) =>
  Effect.scoped(
    Effect.flatMap(OfficialClient.connect(at), ({ start }) => Effect.map(start(say), ({ threadId = "" }) => threadId)),
  )

describe.each(agents)("stored conversations of the real %s", (agent) => {
  test.live(
    "outside of the root of a server are neither listed, read, forked, changed nor deleted (attack: a thread outside of the root), nor by a client that does not declare the extension (attack: a foreign client lists threads)",
    function* () {
      const at = yield* place(agent)
      const threadId = yield* begun(at)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { ask, listed } = yield* connect(stdio(at, ["--root", at.work]))
          assert.deepStrictEqual(yield* listed, [])
          for (const action of actions) {
            assert.include(String(yield* ask({ ...action, threadId })), `outside of the root ${at.work}`)
          }
        }),
      )
      const foreign = yield* connect(stdio(at, []), false)
      assert.include(String(yield* foreign.listed), "Method not found")
      for (const action of actions) {
        assert.include(String(yield* foreign.ask({ ...action, threadId })), "Method not found")
      }
      // The control: without the root, and with the extension, all of it is there, unchanged.
      const { ask, listed } = yield* connect(stdio(at, []))
      assert.deepStrictEqual(yield* listed, [threadId])
      assert.include(JSON.stringify(yield* ask({ action: "read", limit: 1, threadId })), "secret")
    },
  )

  test.live(
    "are not valid for another token, neither by the client's id nor by the agent's (attack: another client's thread)",
    function* () {
      const at = yield* place(agent)
      const [mine, theirs] = ["a".repeat(40), "b".repeat(40)]
      const file = join(at.directory, "tokens")
      writeFileSync(file, `${mine}\n${theirs}\n`, { mode: 0o600 })
      const { url } = yield* at.serve("http", ["--token-file", file])
      const way = (token: string) =>
        new StreamableHTTPClientTransport(new URL(url), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        }) as Transport
      const first = yield* connect(way(mine))
      const second = yield* connect(way(theirs))
      const threadId = yield* first.start(agent, { prompt: say, cwd: at.work })
      const bare = threadId.slice(0, threadId.lastIndexOf("."))
      assert.include(String(yield* second.listed), "lists no threads")
      for (const id of [threadId, bare, `${bare}.${"A".repeat(43)}`]) {
        for (const action of actions) {
          assert.include(String(yield* second.ask({ ...action, threadId: id })), "There is no thread")
        }
      }
      // The control: its own client reads it, unchanged.
      assert.include(JSON.stringify(yield* first.ask({ action: "read", limit: 1, threadId })), "secret")
    },
  )

  test.live("give a copy the limits that its origin was started with", function* () {
    const at = yield* place(agent)
    const limits = { codex: { sandbox: "read-only" }, "claude-code": { "disallowed-tools": ["Bash"] } }
    const { ask, start } = yield* connect(stdio(at, []))
    const threadId = yield* start(agent, { prompt: say, cwd: at.work, ...limits[agent] })
    const fork = (yield* ask({ action: "fork", threadId })) as { readonly threadId: string }
    const record = (id: string) =>
      JSON.parse(readFileSync(join(at.directory, ".local/state/zain", agent, `${id}.json`), "utf8"))
    assert.deepStrictEqual(record(fork.threadId), record(threadId))
    assert.include(JSON.stringify(record(fork.threadId)), JSON.stringify(Object.values(limits[agent])[0]))
  })
})
