/** How the real Codex runs an approved command, and whether the question names it. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { place } from "../../src/AgentServers.ts"
import * as CodexCalls from "../../src/CodexCalls.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import * as Wishes from "../../src/Wishes.ts"

describe("a command of the real codex (attack: an approved command without a sandbox)", () => {
  test.live.each(
    Object.entries(CodexCalls.models).flatMap(([kind, model]) =>
      (["accept", "decline"] as const).map((action) => ({ action, kind, model })),
    ),
  )(
    "runs without a sandbox only if it is approved, as its question states: $action ($kind)",
    function* ({ action, model }) {
      const at = yield* place("codex", { model })
      const { asked, start } = yield* OfficialClient.connect(at, { front: "stdio" }, () => ({ action }))
      const command = `touch ${join(at.directory, "made")}`
      const { text } = Wishes.prompt({ _tag: "Run", command })
      const { content } = yield* start(text, { sandbox: "read-only" })
      assert.strictEqual(existsSync(join(at.directory, "made")), action === "accept", content)
      assert.lengthOf(asked, 1)
      assert.deepInclude(asked[0]?._meta?.["zain/approval"], { kind: "command", command, sandbox: "none" })
      assert.include(asked[0]?.message, "without a sandbox?")
    },
  )
})
