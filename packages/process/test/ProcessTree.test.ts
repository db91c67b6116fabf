import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../src/ProcessTable.ts"
import * as ProcessTree from "../src/ProcessTree.ts"

const entry = (pid: number, group: number, mark?: string): Entry => ({ pid, group, mark, isBare: mark === undefined })

describe.runIf(process.platform === "linux")("the processes of an agent (promise 11)", () => {
  it("include one without an environment, as long as its group has not died out", () => {
    const tree = ProcessTree.make(undefined, "mark")
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(10, 10, "mark"), entry(11, 10)]), [10, 11])
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(11, 10)]), [11])
    assert.deepStrictEqual(ProcessTree.members(tree, []), [])
    // The number of the group is another's by now.
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(10, 10)]), [])
  })
})
