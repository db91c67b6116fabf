/** What is known of the real Codex's patches before they are written (issue 15, point 1). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpApproval } from "@zain/core"
import type { ModelRequest } from "@zain/scripted-model"
import { ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { place } from "../src/AgentServers.ts"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as OwnClient from "../src/OwnClient.ts"
import { binaries } from "../src/RealAgents.ts"

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

/** As lines, without the trailing one. */
const body = (diff: string) => diff.replace(/\n$/, "").split("\n")

describe("a patch of the real Codex", () => {
  it.live.each(Object.entries(CodexCalls.models))(
    "shows an approver every file's change, and an overwritten file as such, before anything is written (%s: %s)",
    ([_, model]) =>
      Effect.gen(function* () {
        const at = yield* place("codex", { model, respond })
        const work = join(at.directory, "work")
        mkdirSync(work)
        for (const [name, text] of Object.entries(before)) writeFileSync(join(work, name), text)
        const asked: Array<McpApproval.McpApprovalRequest> = []
        const client = yield* OwnClient.adapter("codex", {
          ask: (request) => {
            asked.push(request)
            for (const [name, text] of Object.entries(before)) {
              assert.strictEqual(readFileSync(join(work, name), "utf8"), text)
            }
            return "approve"
          },
        })
        const session = yield* client.openSession(OwnClient.config(at, { front: "stdio" }))
        const { events } = yield* OwnClient.ask(client, session, JSON.stringify(lines(work)))
        assert.lengthOf(asked, 1)
        const path = (name: string) => join(work, name)
        const changes = (asked[0]?.changes ?? []).map(({ diff, ...change }) => ({ ...change, diff: body(diff) }))
        assert.sameDeepMembers(changes, [
          { path: path("new.txt"), kind: "add", isNew: true, diff: ["@@ -0,0 +1,1 @@", "+hello"] },
          {
            path: path("old.txt"),
            kind: "update",
            isNew: false,
            diff: ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"],
          },
          {
            path: path("there.txt"),
            kind: "update",
            isNew: false,
            diff: ["@@ -1,2 +1,2 @@", " kept", "-lost", "+new"],
          },
          { path: path("gone.txt"), kind: "delete", isNew: false, diff: ["@@ -1,1 +0,0 @@", "-bye"] },
          {
            path: path("from.txt"),
            kind: "move",
            movedTo: path("to.txt"),
            isNew: true,
            diff: ["@@ -1,2 +1,2 @@", " a", "-b", "+c"],
          },
        ])
        const started = events.find(({ _tag }) => _tag === "ToolStarted")
        assert.include(JSON.stringify(started?._tag === "ToolStarted" ? started.input : undefined), "+2\\n")
        assert.strictEqual(readFileSync(path("there.txt"), "utf8"), "kept\nnew\n")
        assert.isFalse(existsSync(path("gone.txt")))
      }),
  )

  it.live("shows an approver what Codex 0.153.4 says of it, as its own MCP server", () =>
    Effect.gen(function* () {
      const { directory: cwd, env } = yield* place("codex", { respond })
      for (const [name, text] of Object.entries(before)) writeFileSync(join(cwd, name), text)
      const asked: Array<McpApproval.McpApprovalRequest> = []
      const policy = McpApproval.make({ log: ({ request }) => void asked.push(request) })
      const client = yield* Effect.provideService(
        CodexMcpClientAdapter.make({ profile: "native" }),
        McpApproval.McpApproval,
        policy,
      )
      const options = { approvalPolicy: "on-request", sandbox: "read-only" } as const
      const config = CodexTransportFactory.native({ env, cwd, command: binaries.codexNative, options })
      yield* client.execute(yield* client.openSession(config), { content: JSON.stringify(lines(cwd)) })
      const told = asked.flatMap(({ changes = [] }) => changes)
      const kinds = told.map(({ diff, isNew, kind, path }) => [basename(path), kind, isNew, body(diff).at(-1)])
      assert.deepStrictEqual(kinds.toSorted(), [
        ["from.txt", "move", undefined, "+c"],
        ["gone.txt", "delete", undefined, "-bye"],
        ["new.txt", "add", undefined, "+hello"],
        ["old.txt", "update", undefined, " three"],
        // It does not tell this from a new file.
        ["there.txt", "add", undefined, "+new"],
      ])
    }),
  )
})
