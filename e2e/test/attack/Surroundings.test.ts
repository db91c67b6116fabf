/** What the real agents take from a repository, and from their user's own configuration, without an approval. */
import { execFileSync } from "node:child_process"
import { appendFileSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { type AgentName, agents, type Place, place } from "../../src/AgentServers.ts"
import * as Files from "../../src/Files.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"

/** Where agents look for skills. */
const places = [".agents", ".codex", ".claude"]

/** A repository with instructions and skills for every agent, whose user has an MCP server. */
const made = (agent: AgentName) =>
  Effect.map(place(agent, { respond: () => ScriptedTurn.text("Done.") }), (at) => {
    const { directory, work } = at
    for (const where of places) {
      const name = `of${where.slice(1)}`
      const text = `---\nname: ${name}\ndescription: About ${where}\n---\nThe text of ${where}.\n`
      Files.write(work, { [`${where}/skills/${name}/SKILL.md`]: text })
    }
    Files.write(work, { "AGENTS.md": "The text of AGENTS.md.\n", "CLAUDE.md": "The text of CLAUDE.md.\n" })
    execFileSync("git", ["init", "--quiet"], { cwd: work })
    addServer(at, join(directory, "started"))
    return { at, work, started: join(directory, "started") }
  })

const addServer = ({ agent, env }: Place, started: string) => {
  const server = { command: "/bin/sh", args: ["-c", `touch ${started}; sleep 60`] }
  if (agent === "claude-code") {
    const file = join(String(env["CLAUDE_CONFIG_DIR"]), ".claude.json")
    return writeFileSync(file, JSON.stringify({ mcpServers: { own: server } }))
  }
  const lines = ["[mcp_servers.own]", `command = "${server.command}"`, `args = ${JSON.stringify(server.args)}`]
  appendFileSync(join(String(env["CODEX_HOME"]), "config.toml"), `\n${lines.join("\n")}\n`)
}

/** The text of a skill comes where its name stands in the prompt. */
const prompt = `Look. ${places.map((where) => `$of${where.slice(1)}`).join(" ")}`
const texts = [
  ...places.flatMap((where) => [`About ${where}`, `The text of ${where}.`]),
  ...["The text of AGENTS.md.", "The text of CLAUDE.md."],
]
const read = {
  codex: ["About .agents", "The text of .agents.", "About .codex", "The text of .codex.", "The text of AGENTS.md."],
  "claude-code": [],
}

describe.each(agents)("the real %s in a repository", (agent) => {
  test.live(
    "reads no more of it than this, as text (attack: AGENTS.md and skills), and starts its user's servers (attack: the user's own MCP servers)",
    function* () {
      const { at, started, work } = yield* made(agent)
      const { start } = yield* OfficialClient.connect(at)
      yield* start(prompt, { cwd: work })
      const [request] = yield* at.model.requests
      const body = JSON.stringify(request?.body)
      assert.deepStrictEqual(
        texts.filter((text) => body.includes(text)),
        read[agent],
      )
      assert.isTrue(existsSync(started))
    },
  )
})

describe("the real codex", () => {
  test.live("lets its model's provider search the web unless an option disables it (attack: web search)", function* () {
    const { at, work } = yield* made("codex")
    const { start } = yield* OfficialClient.connect(at)
    yield* start("Look.", { cwd: work })
    yield* start("Look.", { cwd: work, config: { web_search: "disabled" } })
    const requests = yield* at.model.requests
    assert.deepStrictEqual(
      requests.map(({ tools }) => tools.includes("web_search")),
      [true, false],
    )
  })
})
