/** The edits of a patch that Codex requests an approval for (promise 33). */
import { assert, describe, it } from "@effect/vitest"
import type { FileEdit } from "@zain/agent-server/FileChanges"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as CodexChanges from "../../src/server/CodexChanges.ts"
import { item, listener, script, subAgent, thread } from "../../testing/server/Codex.ts"

const patch = (method: "started" | "completed", id: string, changes: ReadonlyArray<object>, more?: object) =>
  item(method, { type: "fileChange", id, changes }, more)
const asked = (itemId: string, more: object = {}) => ({
  ask: "item/fileChange/requestApproval",
  params: { itemId, ...more },
})
const add = (path: string, diff: string) => ({ path, kind: { type: "add" }, diff })

/** The edits of the last approval that the steps request. */
const editsOf = Effect.fnUntraced(function* (steps: ReadonlyArray<object>) {
  const { threadId, turn } = yield* thread()
  const ear = listener()
  yield* turn(threadId, { prompt: script(steps) }, ear)
  return ear.questions.at(-1)?.edits
})

const textsOf = (edits: ReadonlyArray<FileEdit> = []) =>
  edits.map(({ after, ...edit }) => ({ ...edit, after: typeof after === "function" ? after("old") : after.hunks }))

const all = [
  add("/w/a", "text\n"),
  { path: "/w/b", kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n" },
  { path: "/w/c", kind: { type: "update", move_path: "/d" }, diff: "@@ -2 +2 @@\n\n\nMoved to: /d" },
  { path: "/w/e", kind: { type: "delete" }, diff: "old" },
]

const expected = [
  { path: "/w/a", place: "/w/a", after: "text\n" },
  { path: "/w/b", place: "/w/b", after: "@@ -1 +1 @@\n" },
  { path: "/w/c", place: "/w/c", movedTo: "/d", after: "@@ -2 +2 @@\n" },
  { path: "/w/e", place: "/w/e", after: undefined },
]

describe("a patch of Codex (promise 33)", () => {
  test.live("has the additions, updates, moves and deletions of its item", function* () {
    assert.deepStrictEqual(textsOf(yield* editsOf([patch("started", "i", all), asked("i")])), expected)
  })

  test.live("has the changes in the request of an older Codex", function* () {
    const fileChanges = {
      "/w/a": { type: "add", content: "text\n" },
      "/w/b": { update: { unified_diff: "@@ -1 +1 @@\n", move_path: null } },
      "/w/c": { type: "update", unified_diff: "@@ -2 +2 @@\n", move_path: "/d" },
      "/w/e": { delete: { content: "old" } },
    }
    const edits = yield* editsOf([{ ask: "applyPatchApproval", params: { callId: "i", fileChanges } }])
    assert.deepStrictEqual(textsOf(edits), expected)
  })

  test.live("is that of its own thread when a sub-agent's item has the same id", function* () {
    const steps = [...subAgent, patch("started", "i", [add("/sub", "s")], { threadId: "sub" })]
    const edits = yield* editsOf([...steps, patch("started", "i", [add("/own", "o")]), asked("i", { threadId: "sub" })])
    assert.deepStrictEqual(textsOf(edits), [{ path: "/sub", place: "/sub", after: "s" }])
  })

  test.live("is removed with the end of its item", function* () {
    const ended = [patch("started", "i", all), patch("completed", "i", all), asked("i")]
    assert.deepStrictEqual(yield* editsOf(ended), [])
  })

  it("is removed beyond the limits of open items, the oldest first", () => {
    const left = (ids: ReadonlyArray<string>, text: string) => {
      const open = CodexChanges.make()
      for (const id of ids) open.begun("thread", { id, changes: [add(`/${id}`, text)] })
      return ids.filter((id) => open.of("thread", id).length === 1)
    }
    assert.deepStrictEqual(left(["a", "b"], "x".repeat(9 * 1024 * 1024)), ["b"])
    const many = Array.from({ length: 65 }, (_, at) => `i${at}`)
    assert.deepStrictEqual(left(many, ""), many.slice(1))
  })

  test.live("has no diff for a relative path, whose base is unknown", function* () {
    assert.isUndefined(yield* editsOf([patch("started", "i", [add("a", "text")]), asked("i")]))
  })
})
