import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as EditorPlace from "../src/EditorPlace.ts"
import * as EditorStory from "../src/EditorStory.ts"
import { gone } from "../src/Until.ts"

const every = EditorStory.agentNames.flatMap((name) =>
  (["unity", "unity-loop"] as const).flatMap((profile) =>
    EditorPlace.doors.map((door) => ({ agent: EditorStory.agents[name].title, name, profile, door })),
  ),
)
/** Each agent with each profile and each transport, once. */
const cases = every.filter(({ door, name, profile }) =>
  name === "codex" ? (profile === "unity") === (door === "http") : (profile === "unity") === (door === "stdio"),
)

describe("with the editor server,", () => {
  test.live.each(cases)(
    "$agent lists the tools of $profile over $door, builds with them, and continues after they change (editors House 2)",
    function* ({ door, name, profile }) {
      const agent = EditorStory.agents[name]
      const { editor, where } = yield* EditorPlace.ways[profile].start
      const tools = EditorStory.unityStories[profile](editor)
      const { answers, respond } = EditorStory.play(name, tools)
      const place = yield* EditorPlace.make(respond)
      yield* place.agent(name, agent.add(yield* place.server(profile, door, where)))
      assert.include(yield* place.agent(name, agent.build), "Built.")

      const requests = yield* place.model.requests
      const offers = requests.map((request) => [...agent.offered(request)].sort()).filter((offer) => offer.length > 0)
      const named = (names: ReadonlyArray<string>) => names.map(agent.named).sort()
      assert.deepStrictEqual(offers[0], named(tools.listed))
      for (const step of ["find", "end"]) {
        for (const object of tools.made) assert.include(answers.get(step), object)
      }
      // Claude Code asks for the tools again when it is notified, and Codex does not.
      const { come, gone: lost } = tools.renewal
      const renewed = tools.listed.filter((tool) => tool !== lost).concat(come ?? [])
      assert.deepStrictEqual(offers.at(-1), named(agent.asksAgain ? renewed : tools.listed))
      assert.include(answers.get("gone"), "has no tool")
      if (agent.asksAgain && come !== undefined) assert.include(answers.get("come"), "red")
      if (door === "stdio") yield* gone(place.alive)
    },
  )
})
