/** The work of a turn of Codex, in orders of its notifications that no Codex shows on demand. */
import { assert, describe, it } from "@effect/vitest"
import * as CodexWork from "../../src/server/CodexWork.ts"

type Notification = readonly [method: string, params: Record<string, unknown>]

const turn = (what: "started" | "completed", id: string, threadId = "own", status = "completed"): Notification => [
  `turn/${what}`,
  { threadId, turn: { id, status } },
]
const item = (what: "started" | "completed", fields: object): Notification => [
  `item/${what}`,
  { threadId: "own", item: fields },
]
const named = item("completed", { type: "subAgentActivity", kind: "started", agentThreadId: "sub", agentPath: "/a" })
const command = (what: "started" | "completed") => item(what, { type: "commandExecution", id: "c", command: "serve" })
const goal: Notification = ["thread/goal/updated", { threadId: "own", goal: { status: "active" } }]
const twice = (reported: Notification) => [reported, reported]
const own = turn("started", "t")
const sub = turn("started", "s", "sub")

const after = (reported: ReadonlyArray<Notification>) =>
  CodexWork.accepted(
    reported.reduce((before, [method, params]) => CodexWork.after(before, method, params), CodexWork.start("own")),
    "t",
  )

describe("the work of a turn of Codex (promise 34)", () => {
  it.each<
    readonly [title: string, reported: ReadonlyArray<Notification>, isOver: boolean, left: ReadonlyArray<string>]
  >([
    ["is over when its end was reported before its start", [turn("completed", "t"), own], true, []],
    ["is over when its start was reported again after its end", [own, turn("completed", "t"), own], true, []],
    [
      "goes on while a sub-agent runs, though its end comes twice",
      [own, sub, ...twice(turn("completed", "t"))],
      false,
      ["sub-agent"],
    ],
    ["goes on while a sub-agent that was named has not begun", [own, named, turn("completed", "t")], false, ["/a"]],
    [
      "is over when a sub-agent was named after its end",
      [own, sub, turn("completed", "s", "sub"), named, turn("completed", "t")],
      true,
      [],
    ],
    [
      "goes on while a command runs, though another ends",
      [own, command("started"), item("completed", { type: "commandExecution", id: "d" }), turn("completed", "t")],
      false,
      ["serve"],
    ],
    [
      "is over when its command ends twice",
      [own, command("started"), turn("completed", "t"), ...twice(command("completed"))],
      true,
      [],
    ],
    ["goes on for its goal", [own, goal, turn("completed", "t")], false, []],
    ["is over when a turn for its goal fails", [own, goal, turn("completed", "t", "own", "failed")], true, []],
  ])("%s", (_, reported, isOver, left) => {
    const work = after(reported)
    assert.deepStrictEqual([CodexWork.isOver(work), CodexWork.left(work).map(({ title }) => title)], [isOver, left])
  })

  it("is over without a sub-agent that was named and never began", () => {
    const work = after([own, named, turn("completed", "t")])
    assert.isTrue(CodexWork.isExpecting(work))
    assert.isTrue(CodexWork.isOver(CodexWork.withoutAgents(work, CodexWork.awaited(work))))
  })
})
