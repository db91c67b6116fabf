import { globSync, readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import { blenderTools } from "@zain/editor-blender/BlenderTools"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { toolCalls } from "../../packages/editor-blender/testing/ToolCalls.ts"
import * as EditorPlace from "../src/EditorPlace.ts"
import * as EditorStory from "../src/EditorStory.ts"

const query = { query: "{ scene { context { objectCount } } }" }
const story = {
  listed: blenderTools.map(({ name }) => name),
  build: [],
  made: [],
  find: ["scene.query", query],
} as const
const rows = [
  { agent: "Claude Code", name: "claudeCode", client: "claude-code" },
  { agent: "Codex", name: "codex", client: "codex-mcp-client" },
] as const

test.live.each(rows)(
  "a picture of scene_capturePreview reaches the model of $agent (editors 003.11)",
  function* ({ name }) {
    const agent = EditorStory.agents[name]
    const { where } = yield* EditorPlace.ways.blender.start
    const picture = { width: 16, height: 16 }
    const { answers, respond } = EditorStory.play(name, { ...story, find: ["scene.capturePreview", picture] })
    const place = yield* EditorPlace.make(respond)
    yield* place.agent(name, agent.add(yield* place.server("blender", "stdio", where)))
    assert.include(yield* place.agent(name, agent.build), "Built.")
    const requests = yield* place.model.requests
    assert.include(JSON.stringify(requests.map(({ body }) => body)), "iVBORw0KGgo", answers.get("find"))
  },
)

test.live.each(rows)(
  "$agent names itself as the table of clients has it, shows dots in tools' names as underscores, and calls every tool by its name with the dot and gets a success (editors 003.31, 003.33)",
  function* ({ client, name }) {
    const agent = EditorStory.agents[name]
    const { where } = yield* EditorPlace.ways.blender.start
    const logs = yield* directory
    const { answers, respond } = EditorStory.play(name, {
      ...story,
      build: toolCalls.map(([tool, args]) => [tool, args]),
    })
    const place = yield* EditorPlace.make(respond)
    const env = { ...where, MCP_DEBUG: "1", XDG_STATE_HOME: logs }
    yield* place.agent(name, agent.add(yield* place.server("blender", "stdio", env)))
    assert.include(yield* place.agent(name, agent.build), "Built.")
    assert.include(answers.get("find"), "objectCount")
    const requests = yield* place.model.requests
    const offered = requests.map((request) => [...agent.offered(request)]).find(({ length }) => length > 0)
    assert.deepStrictEqual(offered?.sort(), story.listed.map(agent.named).sort())
    const log = globSync("zain/logs/*", { cwd: logs }).map((file) => readFileSync(`${logs}/${file}`, "utf8"))
    const calls = log
      .join("")
      .split("\n")
      .flatMap((line) => (line.includes("begins") ? [JSON.parse(line)] : []))
    assert.deepStrictEqual(
      calls.map(({ client, event }) => [client, event]),
      [...story.listed, "scene.query"].map((tool) => [client, `${tool} begins`]),
    )
    for (const [at, [tool]] of toolCalls.entries())
      assert.match(answers.get(`build ${at}`) ?? "", /"success": ?true/, tool)
  },
)
