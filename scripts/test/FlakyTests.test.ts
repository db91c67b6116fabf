import { assert, describe, it } from "vitest"
import { judge } from "../FlakyTests.ts"
import type { TestReport } from "../TestReport.ts"

const ran = (passes: boolean, millis = 0, file = "a.test.ts"): TestReport => ({
  unhandled: 0,
  files: [{ file, passes, tests: [{ title: "is quick", state: passes ? "passed" : "failed", millis }] }],
})
const many = (count: number): TestReport => {
  const files = Array.from({ length: count }, (_, at) => ran(false, 9, `${at}.test.ts`).files)
  return { unhandled: 0, files: files.flat() }
}
const passing = (file: string) => ran(true, 2, file)

describe("a failed run of the tests", () => {
  it("passes if every failed file passes alone, and names each test with both durations", () => {
    const mixed = { unhandled: 0, files: [...ran(false, 3_259).files, ...ran(true, 1, "b.test.ts").files] }
    const seen: Array<string> = []
    const verdict = judge(mixed, (file) => {
      seen.push(file)
      return passing(file)
    })
    assert.deepStrictEqual(verdict, { flaky: ["flaky: a.test.ts, is quick, 3259 ms, alone 2 ms"], failed: [] })
    assert.deepStrictEqual(seen, ["a.test.ts"])
  })

  it.each([
    ["a file fails alone too", ran(false), () => ran(false)],
    ["a file leaves no report alone", ran(false), () => undefined],
    ["a file does not run alone", ran(false), () => ran(true, 2, "b.test.ts")],
    ["a file causes an error outside of its tests alone", ran(false), () => ({ ...ran(true), unhandled: 1 })],
    ["it left no report", undefined, passing],
    ["it had an error outside of every test", { ...ran(false), unhandled: 1 }, passing],
    ["no test failed", ran(true), passing],
    ["more than three tests are flaky", many(4), passing],
  ])("fails if %s", (_, report, again) => {
    assert.lengthOf(judge(report, again).failed, 1)
  })

  it("counts the flaky tests of earlier runs", () => {
    assert.deepStrictEqual(judge(many(3), passing).failed, [])
    assert.deepStrictEqual(judge(many(3), passing, ["flaky: c.test.ts"]).failed, [
      "4 tests are flaky; at most 3 may be.",
    ])
  })
})
