import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { decode } from "fast-png"
import * as BlenderTable from "../src/BlenderTable.ts"
import * as EditorPlace from "../src/EditorPlace.ts"
import * as EditorStory from "../src/EditorStory.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as RealBlender from "../src/RealBlender.ts"
import { gone } from "../src/Until.ts"

/** Each agent once, and each transport. */
const rows = (
  [
    ["claudeCode", "stdio"],
    ["codex", "http"],
  ] as const
).map(([name, door]) => ({
  agent: EditorStory.agents[name].title,
  name,
  door,
}))

/** The picture in an agent's last request to its model. Each API has its own form. */
const pictureIn = (body: unknown) => /iVBORw0KGgo[\w+/]*=*/.exec(JSON.stringify(body))?.[0]

/** A directory to which the pictures are written. */
const gallery = process.env["ZAIN_PICTURES"]

const title =
  "$agent builds a table, a light and a camera in a real Blender over $door, and its model receives a picture of them (editors House 2)"

describe.skipIf(isSkipped("blender", title))("with the editor server,", () => {
  test.live.each(rows)(title, function* ({ door, name }) {
    const agent = EditorStory.agents[name]
    const blender = yield* RealBlender.start
    const { answers, respond } = EditorStory.play(name, BlenderTable.blenderTable)
    const place = yield* EditorPlace.make(respond)
    yield* place.agent(name, agent.add(yield* place.server("blender", door, blender.where)))
    assert.include(yield* place.agent(name, agent.build), "Built.", JSON.stringify([...answers]))

    const requests = yield* place.model.requests
    const offers = requests.map((request) => [...agent.offered(request)].sort()).filter(({ length }) => length > 0)
    assert.deepStrictEqual(offers[0], BlenderTable.blenderTable.listed.map(agent.named).sort())
    for (const object of BlenderTable.blenderTable.made) assert.include(answers.get("find"), object)

    const seen = pictureIn(requests.at(-1)?.body)
    assert.isDefined(seen)
    const file = Buffer.from(seen, "base64")
    if (gallery !== undefined) writeFileSync(join(gallery, `${name}.png`), file)
    const { channels, data, height, width } = decode(file)
    assert.deepStrictEqual({ width, height }, BlenderTable.picture)
    const shades = new Set(Array.from({ length: width * height }, (_, at) => data[at * channels]))
    assert.isAbove(shades.size, 50)

    const { call } = yield* blender.client
    const names = BlenderTable.made.map((_, at) => `$n${at}: String!`).join(" ")
    const asked = BlenderTable.made.map((_, at) => `o${at}: object(name: $n${at}) { name }`).join(" ")
    const found = yield* call("scene.query", {
      query: `query(${names}) { scene { ${asked} context { objectCount activeCamera } } }`,
      variables: Object.fromEntries(BlenderTable.made.map((made, at) => [`n${at}`, made])),
    })
    const text = RealBlender.textOf(found)
    for (const made of BlenderTable.made) assert.include(text, JSON.stringify(made))
    assert.match(text, new RegExp(`"objectCount": ${BlenderTable.made.length}\\b[\\s\\S]*"activeCamera": "Eye"`))
    if (door === "stdio") yield* gone(place.alive)
  })
})
