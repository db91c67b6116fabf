import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as LoopSmithCaller from "../src/LoopSmithCaller.ts"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"
import * as LoopSmithScript from "../src/LoopSmithScript.ts"

const mock = ["--judge", "mock"]

describe("LoopSmith in Claude Code, added with the lines of its README", () => {
  /** What the mock judge makes of them: too short; then with all that it looks for. */
  const mocked: ReadonlyArray<LoopSmithScript.Round> = [
    { content: "# T\n- a\n```x```", score: 5.2 },
    { content: `# T\n- a\n\`\`\`x\`\`\`\n${"日本語 $& ".repeat(200)}`, score: 8.2 },
  ]
  const cases = [
    ...LoopSmithPlace.doors.map((door) => ({ door, judge: "the mock", args: mock, rounds: mocked })),
    {
      ...{ door: "ws" as const, judge: "the real Codex" },
      ...{ args: LoopSmithPlace.judge, rounds: LoopSmithScript.guide },
    },
  ]
  test.live.each(cases)(
    "LoopSmith 1: `claude mcp list` in a fresh home shows it connected over $door; with $judge as judge, it calls evaluate_document until its text passes",
    function* ({ args, door, rounds }) {
      const place = yield* LoopSmithPlace.make(LoopSmithScript.calling(rounds))
      const claude = yield* LoopSmithCaller.make(place, door, args)
      assert.match(yield* claude("mcp", "list"), /^loopsmith: .* - ✔/m)
      const said = yield* claude("-p", "Write a guide.", "--allowedTools", "mcp__loopsmith__evaluate_document")
      const { judge: judged, other } = LoopSmithScript.asked(yield* place.model.requests)
      const last = other.at(-1)
      const evaluations = (last && LoopSmithScript.evaluationsIn(last))?.map((text) => JSON.parse(text)) ?? []
      assert.deepStrictEqual(
        evaluations.map(({ metadata: { iteration }, pass, score }) => ({ iteration, pass, score })),
        rounds.map(({ score }, index) => ({ iteration: index + 1, pass: score >= 8, score })),
      )
      assert.include(said, "It came to this:")
      // Claude Code passes the server's instructions to its model.
      assert.match(JSON.stringify(last?.messages), /Call evaluate_document with its whole text/)
      if (args !== mock) assert.lengthOf(judged, rounds.length)
      if (door === "stdio") assert.deepStrictEqual(place.alive(), [], "Nothing outlives Claude Code.")
    },
  )
})
