/** MCP servers that a session hands to the real agents: their tools, their forms, their failures, and their secrets. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import type { McpApproval, McpEvent } from "@zain/core"
import type { McpServers } from "@zain/process/McpServerOption"
import { test } from "@zain/testkit/Test"
import { Effect, Redacted } from "effect"
import { type AgentName, agents, place } from "../../src/AgentServers.ts"
import * as OwnClient from "../../src/OwnClient.ts"
import * as Wishes from "../../src/Wishes.ts"

const secret = "hunter2-9c41f7d0b6"
const program = fileURLToPath(new URL("../../src/ShopServer.ts", import.meta.url))
type Servers = NonNullable<McpServers>

const shop = (more: object = {}, args: ReadonlyArray<string> = []): Servers => ({
  shop: {
    type: "stdio",
    command: process.execPath,
    args: [program, ...args],
    env: { SHOP_TOKEN: Redacted.make(secret) },
    ...more,
  },
})

/** The prompt for a tool of the server, as the agent names it. */
const use = (agent: AgentName, tool: string) =>
  Wishes.use(agent === "codex" ? `mcp__shop.${tool}` : `mcp__shop__${tool}`, {})

/** Sessions with an agent in a private home. `log`: the decisions on its requests. */
const made = Effect.fnUntraced(function* (agent: AgentName) {
  const at = yield* place(agent)
  const log: Array<McpApproval.McpApprovalEntry> = []
  const ask = ({ kind, questions = [] }: McpApproval.McpApprovalRequest) =>
    kind === "question" ? { answers: Object.fromEntries(questions.map(({ id }) => [id, "3"])) } : ("approve" as const)
  const client = yield* OwnClient.adapter(agent, { ask, log: (entry) => void log.push(entry) })
  const config = OwnClient.local(agent, at)
  const open = (options: object) => client.openSession(OwnClient.adding(config, { cwd: at.work, ...options }))
  return { at, client, log, open }
})

const failures = (events: ReadonlyArray<McpEvent>) =>
  events.flatMap((event) => (event._tag === "ServerFailed" ? [[event.name, event.message] as const] : []))

describe.each(agents)("an MCP server that a session hands to the real %s", (agent) => {
  test.live(
    "has its given tools alone, each by an approval, its form is a question, and a wrong one is refused by name",
    function* () {
      const { client, log, open } = yield* made(agent)
      const session = yield* open({ mcpServers: shop({ tools: ["look", "buy"], required: true }) })
      const say = (tool: string) =>
        Effect.map(OwnClient.ask(client, session, use(agent, tool)), ({ content }) => content)
      assert.match(yield* say("look"), /looked/)
      assert.deepStrictEqual(
        log.map(({ request }) => request.kind),
        ["tool"],
      )
      assert.match((yield* say("buy")).replaceAll("\\", ""), /bought .*"size":3/)
      assert.deepStrictEqual(
        log.map(({ request }) => request.kind),
        ["tool", "tool", "question"],
      )
      const refused = yield* say("token")
      assert.notInclude(refused, secret)
      assert.lengthOf(log, 3)
      const wrong = [
        [{ mcpServers: { a__b: { type: "stdio", command: "x" } } }, /mcpServers/],
        [{ mcpServers: { shop: { type: "http", url: "file:///etc/passwd" } } }, /mcpServers\.shop/],
        [{ mcpServers: { shop: { type: "lacking" } } }, /mcpServers\.shop/],
        [{ directories: ["relative"] }, /`directories` must be absolute paths/],
        [{ directories: ["/nowhere/at/all"] }, /`directories` must be absolute paths/],
      ] as const
      for (const [options, message] of wrong) {
        const error = yield* Effect.flip(open(options))
        assert.deepInclude(error, { _tag: "InvalidRequest", reason: "invalid-config" })
        assert.match(error.message, message)
      }
    },
  )

  test.live("is missing in a session that continues the thread without it, which an event tells", function* () {
    const { client, open } = yield* made(agent)
    const first = yield* open({ mcpServers: shop() })
    const { threadId } = yield* client.execute(first, { content: use(agent, "look") })
    yield* client.closeSession(first)
    const second = yield* open({ threadId })
    const without = yield* OwnClient.ask(client, second, Wishes.prompt({ _tag: "Recall" }).text)
    assert.deepStrictEqual(
      failures(without.events).map(([name]) => name),
      ["shop"],
    )
    yield* client.closeSession(second)
    const third = yield* open({ threadId, mcpServers: shop() })
    const again = yield* OwnClient.ask(client, third, use(agent, "look"))
    assert.deepStrictEqual(failures(again.events), [])
    assert.match(again.content, /looked/)
  })

  test.live(
    "that does not start is an event without its secret; a required one fails the open, and a resume without it",
    function* () {
      const { client, open } = yield* made(agent)
      const dies = shop({}, ["dies"])
      const session = yield* open({ mcpServers: dies })
      const { events } = yield* OwnClient.ask(client, session, Wishes.prompt({ _tag: "Recall" }).text)
      assert.deepStrictEqual(
        failures(events).map(([name]) => name),
        ["shop"],
      )
      assert.notInclude(JSON.stringify(events), secret)
      yield* client.closeSession(session)
      const error = yield* Effect.flip(open({ mcpServers: shop({ required: true }, ["dies"]) }))
      assert.deepInclude(error, { _tag: "InvalidRequest", reason: "invalid-config", delivery: "not-sent" })
      assert.match(error.message, /could not start a required MCP server .*shop/)
      assert.notInclude(JSON.stringify(error), secret)
      const needing = yield* open({ mcpServers: shop({ required: true }) })
      const { threadId } = yield* client.execute(needing, { content: Wishes.prompt({ _tag: "Recall" }).text })
      yield* client.closeSession(needing)
      const refused = yield* Effect.flip(open({ threadId }))
      assert.deepInclude(refused, { _tag: "InvalidRequest", reason: "invalid-config", delivery: "not-sent" })
      assert.match(refused.message, /`mcpServers` lacks `shop`/)
    },
  )
})

/** The files below a directory that contain a text. */
const having = (directory: string, text: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    return entry.isFile() && readFileSync(path).includes(text) ? [path] : []
  })

describe.each(agents)(
  "the secret of a server that is handed to the real %s (attack: a secret of a handed server)",
  (agent) => {
    /** Where the secret is during and after a turn with the server. */
    const traces = Effect.fnUntraced(function* (servers: Servers) {
      const { at, client, log, open } = yield* made(agent)
      const headers = { Authorization: Redacted.make(`Bearer ${secret}`) }
      const refused = { type: "http", url: "http://127.0.0.1:1/mcp", headers } as const
      const session = yield* open({ mcpServers: { ...servers, refused } })
      const { events } = yield* OwnClient.ask(client, session, use(agent, "look"))
      const argv = at.alive().filter(({ command }) => command.includes(secret))
      yield* client.closeSession(session)
      const files = having(at.directory, secret)
      return { argv: argv.length, said: JSON.stringify([events, log]).includes(secret), files }
    })

    test.live("is in no argument vector, event, log and file", function* () {
      assert.deepStrictEqual(yield* traces(shop()), { argv: 0, said: false, files: [] })
    })

    // The control of how the test looks, which is the same for each agent.
    if (agent !== "codex") return
    test.live("is in the argument vector where it is an argument (control)", function* () {
      assert.isAbove((yield* traces(shop({}, [secret]))).argv, 0)
    })
  },
)
