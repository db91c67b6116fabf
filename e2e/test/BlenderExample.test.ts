import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { decode } from "fast-png"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as Stage from "./ExamplesStage.ts"

type Request = ModelRequest.ModelRequest

const task = "a snowman with a hat"
const query = `{ scene { body: object(name: "Body") { location { z } } hat: object(name: "Hat") { location { z } } } }`

/** The steps of each round. */
const rounds = [
  [
    { create: { primitive: "sphere", name: "Body", transform: { location: { x: 0, y: 0, z: 1 } } } },
    { light: { name: "Sun", type: "sun" } },
  ],
  [{ create: { primitive: "cylinder", name: "Hat", transform: { location: { x: 0, y: 0, z: 2.5 } } } }],
]

const countOf = (texts: ReadonlyArray<string>, part: string) => texts.filter((text) => text.includes(part)).length

/** Claude Code's model. It loads the definition of the tool before it calls it. */
const builder = ({ toolResults, tools, userMessages }: Request) => {
  const apply = "mcp__scene__command_apply"
  if (!tools.includes(apply)) return ScriptedTurn.toolCall("ToolSearch", { query: `select:${apply}` })
  const results = toolResults.map(({ text }) => text)
  const asked = 1 + countOf(userMessages, "Change what it says, and nothing else: The hat is missing.")
  const applied = countOf(results, '"outcomes"')
  const steps = rounds[applied]
  if (steps !== undefined && applied < asked) return ScriptedTurn.toolCall(apply, { steps })
  return ScriptedTurn.text(`Applied ${applied}.`)
}

/** The pictures that a model received. */
const picturesOf = ({ body }: Request) =>
  [...JSON.stringify(body).matchAll(/"image_url":"data:image\/png;base64,([^"]+)"/g)].map(([, base64 = ""]) => base64)

const verdict = (changes: string) => ScriptedTurn.text(JSON.stringify({ isGood: changes === "", changes }))

/** Codex's model: it takes a picture in each round, and accepts the second if it differs from the first. */
const judge = (request: Request, isContent: boolean) => {
  const { toolResults, userMessages } = request
  const asked = countOf(userMessages, `Does it show this: ${task}?`)
  const results = toolResults.map(({ text }) => text)
  if (countOf(results, "image/png") < asked) {
    return ScriptedTurn.toolCall("mcp__scene.scene_capturePreview", { width: 64, height: 48 })
  }
  const [first, second] = picturesOf(request)
  if (first === undefined) return verdict("There is no picture.")
  if (second === undefined || second === first || !isContent) return verdict("The hat is missing.")
  if (countOf(results, '"hat"') === 0) return ScriptedTurn.toolCall("mcp__scene.scene_query", { query })
  return verdict("")
}

const stageOf = (isContent: boolean) =>
  Stage.make((request) => (request.api === "responses" ? judge(request, isContent) : builder(request)))

const builds = async (blender: string, stderr: RegExp) => {
  await using stage = await stageOf(true)
  const [temporary, started] = [stage.file("../tmp"), stage.file("../started")]
  const stranger = { command: "touch", args: [started] }
  mkdirSync(temporary, { recursive: true })
  writeFileSync(join(temporary, ".mcp.json"), JSON.stringify({ mcpServers: { stranger } }))
  const outcome = await stage.run("examples/build-and-judge/main.ts", [], [task, blender])
  assert.deepInclude(outcome, {
    exitCode: 0,
    stdout: [
      "1. Claude Code: Applied 1.",
      "   Codex: The hat is missing.",
      "2. Claude Code: Applied 2.",
      "   Codex: Good.\n",
    ].join("\n"),
  })
  // A real Blender saves its scene after its server has ended.
  await stage.alone()
  assert.match(outcome.stderr, stderr)
  assert.isFalse(existsSync(started))
  const judged = (await stage.model.requests()).filter(({ api }) => api === "responses").at(-1)
  assert.isDefined(judged)
  for (const picture of picturesOf(judged)) {
    const { height, width } = decode(Buffer.from(picture, "base64"))
    assert.deepStrictEqual([width, height], [64, 48])
  }
  const { text } = judged.toolResults.at(-1) ?? { text: "" }
  assert.deepStrictEqual(JSON.parse(text.slice(text.indexOf("{"))), {
    success: true,
    data: { scene: { body: { location: { z: 1 } }, hat: { location: { z: 2.5 } } } },
  })
}

const listens = String.raw`^Listening on http://127\.0\.0\.1:\d+/mcp\n`

describe("the example build-and-judge", () => {
  const real = "lets Claude Code correct in a real Blender what Codex misses in a picture, until Codex accepts it"
  it.skipIf(isSkipped("blender", real))(real, () => builds("--launch", new RegExp(`${listens}.*unsaved.*\\.blend`)))

  it("lets Claude Code correct in a fake Blender what Codex misses in a picture, until Codex accepts it", () =>
    builds("--fake", new RegExp(`${listens}$`)))

  it("ends with an error after four rounds", async () => {
    await using stage = await stageOf(false)
    const outcome = await stage.run("examples/build-and-judge/main.ts", [], [task, "--fake"])
    assert.match(outcome.stderr, /\nThe scene was not good after 4 rounds\.\n$/)
    assert.lengthOf(outcome.stdout.match(/Codex: The hat is missing\./g) ?? [], 4)
    assert.deepInclude(outcome, { exitCode: 1, processes: [] })
  })
})
