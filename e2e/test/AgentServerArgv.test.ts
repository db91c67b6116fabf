/** No option of a session shows in the table of processes, and each takes effect. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { type AgentName, agents, type Place, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as OwnProcesses from "../src/OwnProcesses.ts"

/** Prints its environment, and runs until the test has read the process table. */
const command = "env | grep KEY; touch made; until [ -e seen ]; do sleep 0.05; done"

const use = {
  codex: ScriptedTurn.toolCall("exec_command", { cmd: command }),
  "claude-code": ScriptedTurn.toolCall("Bash", { command }),
}

const agentFile = "---\nname: uniq-agent\ndescription: An agent.\nmodel: sonnet\n---\nBe an agent.\n"

/** The options of a thread; every free text holds `uniq-`. */
const optionsOf = {
  codex: {
    model: "uniq-model",
    sandbox: "workspace-write",
    "approval-policy": "never",
    "base-instructions": "uniq-base",
    "developer-instructions": "uniq-developer",
    "compact-prompt": "uniq-compact",
    config: { shell_environment_policy: { set: { MY_API_KEY: "uniq-secret" } } },
  },
  "claude-code": {
    model: "uniq-model",
    agent: "uniq-agent",
    effort: "low",
    "permission-mode": "default",
    "allowed-tools": ["Bash", "Bash(uniq-allowed *)"],
    "disallowed-tools": ["WebSearch", "Bash(uniq-disallowed *)"],
    "base-instructions": "uniq-base",
    "developer-instructions": "uniq-developer",
    config: { env: { MY_API_KEY: "uniq-secret" } },
  },
}

/** Two turns of one thread. `seen`: the arguments of every process while the agent runs a command in the first. */
const run = Effect.fnUntraced(function* (agent: AgentName, options: Record<string, unknown>) {
  const at = yield* place(agent, {
    respond: ({ toolResults }) => (toolResults.length === 0 ? use[agent] : ScriptedTurn.text("Done.")),
  })
  const { work: cwd } = at
  if (agent === "claude-code") writeFileSync(join(at.directory, "claude", "agents", "uniq-agent.md"), agentFile)
  const { asked, reply, start } = yield* OfficialClient.connect(at)
  const turn = yield* Effect.forkChild(start("Look around.", { cwd, ...options }))
  while (!existsSync(join(cwd, "made")) && turn.pollUnsafe() === undefined) yield* Effect.sleep(25)
  const seen = at.alive().map((one) => one.command)
  writeFileSync(join(cwd, "seen"), "")
  const first = yield* Fiber.join(turn)
  assert.deepInclude(first, { content: "Done.", isError: false })
  const second = yield* reply(first.threadId, "Once more.")
  assert.deepInclude(second, { content: "Done.", isError: false })
  const requests = yield* at.model.requests
  return { requests, asked: asked.length, seen }
})

const long = "x".repeat(140_000)

const text = ({ messages }: ModelRequest.ModelRequest) => messages.map((message) => message.text).join("\n")

describe.each(agents)("a session with the real %s and an individual value in each option (promise 18)", (agent) => {
  test.live("shows no option in the arguments of any process, and each takes effect", function* () {
    const { asked, requests, seen } = yield* run(agent, optionsOf[agent])
    assert.isTrue(seen.some((line) => line.includes("until [ -e seen ]")))
    assert.isEmpty(seen.filter((line) => line.includes("uniq-")))
    for (const request of requests) {
      assert.strictEqual(request.model, "uniq-model")
      assert.include(text(request), "uniq-base")
      assert.include(text(request), "uniq-developer")
      assert.notInclude(request.tools, "WebSearch")
    }
    assert.include(requests[1]?.toolResults[0]?.text, "MY_API_KEY=uniq-secret")
    assert.strictEqual(asked, 0)
  })

  test.live("accepts instructions of 140,000 characters", function* () {
    const at = yield* place(agent, { respond: () => ScriptedTurn.text("Done.") })
    const { start } = yield* OfficialClient.connect(at)
    const instructions = { "base-instructions": `base ${long}`, "developer-instructions": `developer ${long}` }
    const { content } = yield* start("Look around.", instructions)
    assert.strictEqual(content, "Done.")
    const received = (yield* at.model.requests).map(text).join("\n")
    assert.isTrue(received.includes(`base ${long}`))
    assert.isTrue(received.includes(`developer ${long}`))
  })
})

describe("the start of a thread with the real claude-code", () => {
  const lost = [
    [{ config: { effortLevel: "enormous" } }, "does not accept `config.effortLevel`."],
    [{ config: { permissions: { deny: "Bash" } } }, "does not accept `config.permissions.deny`: Expected array"],
    [{ "disallowed-tools": ["Bash("] }, "does not accept `disallowed-tools`."],
    [{ agent: "missing" }, "`agent` does not name one of Claude Code's agents; expected one of "],
    [{ cwd: "/tmp\0" }, "`cwd` holds a NUL character."],
  ] as const
  test.live("fails with the name of an option that would be ignored, and creates no thread", function* () {
    const at = yield* place("claude-code")
    const { start } = yield* OfficialClient.connect(at)
    for (const [options, words] of lost) {
      const { content, isError, threadId } = yield* start("Go.", options)
      assert.include(content, words)
      assert.isTrue(isError)
      assert.isUndefined(threadId)
    }
    assert.isEmpty(yield* at.model.requests)
  })
})

const natives = [
  {
    agent: "claude-code",
    name: "Claude Code's own MCP server",
    config: (at: Place) =>
      OwnClient.native["claude-code"](at, {
        options: { model: "uniq-model", subagentType: "plain", effort: "low" },
      }),
    received: [],
  },
  {
    agent: "codex",
    name: "the MCP server of an old Codex",
    config: (at: Place) =>
      OwnClient.native.codex(at, {
        options: {
          ...{ model: "uniq-model", cwd: at.directory },
          ...{ baseInstructions: "uniq-base", developerInstructions: "uniq-developer", compactPrompt: "uniq-compact" },
          config: { model_providers: { "uniq-provider": { name: "uniq" } } },
        },
      }),
    received: ["uniq-base", "uniq-developer"],
  },
] as const

describe.each(natives)("a session with $name", ({ agent, config, received }) => {
  test.live("shows no option in the arguments of any process, and each takes effect", function* () {
    const seen: Array<string> = []
    const at = yield* place(agent, {
      respond: () => {
        seen.push(...OwnProcesses.withEnvironment(at.directory).map((one) => one.command))
        return ScriptedTurn.text("Done.")
      },
    })
    const client = yield* OwnClient.adapter(agent, undefined, "native")
    const session = yield* client.openSession(config(at))
    assert.strictEqual((yield* client.execute(session, { content: "Look around." })).content, "Done.")
    assert.isNotEmpty(seen)
    assert.isEmpty(seen.filter((line) => line.includes("uniq-")))
    const [request] = yield* at.model.requests
    assert.strictEqual(request?.model, "uniq-model")
    for (const words of received) assert.include(JSON.stringify(request?.body), words)
  })
})
