import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../src/ProcessTable.ts"
import * as ProcessTree from "../src/ProcessTree.ts"

const entry = (pid: number, group: number, mark?: string): Entry => ({
  pid,
  parent: 1,
  group,
  mark,
  isBare: mark === undefined,
})

describe.runIf(process.platform === "linux")("ProcessTree.members (promise 11)", () => {
  it("returns a process without an environment until its process group is empty", () => {
    const tree = ProcessTree.make(undefined, "mark")
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(10, 10, "mark"), entry(11, 10)]), [10, 11])
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(11, 10)]), [11])
    assert.deepStrictEqual(ProcessTree.members(tree, []), [])
    // The id of the group has been reused.
    assert.deepStrictEqual(ProcessTree.members(tree, [entry(10, 10)]), [])
  })
})
