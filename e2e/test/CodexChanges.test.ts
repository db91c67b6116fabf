/** What an approver receives of the real Codex's patches before they are written (promise 33). */
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { McpApproval } from "@zain/core"
import type { ModelRequest } from "@zain/scripted-model"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { type Place, place } from "../src/AgentServers.ts"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as Files from "../src/Files.ts"
import * as OwnClient from "../src/OwnClient.ts"

/** A prompt: the lines of a patch. */
const respond = (request: ModelRequest.ModelRequest) =>
  request.toolResults.length > 0
    ? ScriptedTurn.text("Done.")
    : CodexCalls.patch(request, JSON.parse(request.userMessages.at(-1) ?? "[]") as ReadonlyArray<string>)

const before = {
  "old.txt": "one\ntwo\nthree\n",
  "there.txt": "kept\nlost\n",
  "gone.txt": "bye\n",
  "from.txt": "a\nb\n",
}

const lines = (work: string) => [
  `*** Add File: ${work}/new.txt`,
  "+hello",
  `*** Update File: ${work}/old.txt`,
  "@@",
  " one",
  "-two",
  "+2",
  `*** Add File: ${work}/there.txt`,
  "+kept",
  "+new",
  `*** Delete File: ${work}/gone.txt`,
  `*** Update File: ${work}/from.txt`,
  `*** Move to: ${work}/to.txt`,
  "@@",
  " a",
  "-b",
  "+c",
]

/** Each Codex, and the kind of a file that its patch overwrites: the old one reports it as a new file. */
const programs = [
  {
    name: "Codex 0.171.0, behind the agent server",
    profile: "agent-server",
    config: OwnClient.config,
    overwritten: ["there.txt", "update", false, "+new"],
    isNew: { update: false, delete: false, add: true, move: true },
  },
  {
    name: "Codex 0.153.4, as its own MCP server",
    profile: "native",
    config: (at: Place) =>
      OwnClient.native.codex(at, { options: { approvalPolicy: "on-request", sandbox: "read-only" } }),
    overwritten: ["there.txt", "add", undefined, "+new"],
    isNew: { update: undefined, delete: undefined, add: undefined, move: undefined },
  },
] as const

describe("a patch of the real Codex", () => {
  test.live.each(programs)(
    "shows an approver every file's change before anything is written ($name)",
    function* ({ profile, config, isNew, overwritten }) {
      const at = yield* place("codex", { respond })
      const there = () => Object.keys(before).map((name) => [name, readFileSync(join(at.directory, name), "utf8")])
      Files.write(at.directory, before)
      const asked: Array<McpApproval.McpApprovalRequest> = []
      const ask = (request: McpApproval.McpApprovalRequest) => {
        asked.push(request)
        assert.deepStrictEqual(there(), Object.entries(before))
        return "approve" as const
      }
      const client = yield* OwnClient.adapter("codex", { ask }, profile)
      const session = yield* client.openSession(config(at))
      yield* client.execute(session, { content: JSON.stringify(lines(at.directory)) })
      const received = asked.flatMap(({ changes = [] }) => changes)
      assert.sameDeepMembers(
        received.map(({ diff, isNew, kind, path }) => [basename(path), kind, isNew, diff.trimEnd().split("\n").at(-1)]),
        [
          ["from.txt", "move", isNew.move, "+c"],
          ["gone.txt", "delete", isNew.delete, "-bye"],
          ["new.txt", "add", isNew.add, "+hello"],
          ["old.txt", "update", isNew.update, " three"],
          [...overwritten],
        ],
      )
      assert.strictEqual(readFileSync(join(at.directory, "there.txt"), "utf8"), "kept\nnew\n")
      assert.isFalse(existsSync(join(at.directory, "gone.txt")))
    },
  )
})
