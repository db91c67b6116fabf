/** The real agents behind a server with a root. */
import { existsSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { agents, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as Wishes from "../src/Wishes.ts"

const say = (text: string) => Wishes.prompt({ _tag: "Say", text }).text
const write = (path: string) => Wishes.prompt({ _tag: "Write", path, text: "hello" }).text

describe.each(agents)("the real %s behind a server with a root (promise 29)", (agent) => {
  test.live(
    "works inside it, and cannot use a link out of it, a file outside, or a thread of another directory",
    function* () {
      const at = yield* place(agent)
      const { work: root } = at
      symlinkSync(at.directory, join(root, "out"))

      const elsewhere = yield* Effect.scoped(
        Effect.flatMap(OfficialClient.connect(at), ({ start }) => start(say("free"))),
      )
      assert.deepInclude(elsewhere, { content: "free", isError: false })

      const { asked, reply, start } = yield* OfficialClient.connect(
        at,
        { front: "stdio", args: ["--root", root] },
        () => ({ action: "accept" }),
      )
      const inside = yield* start(write(join(root, "new.txt")), { cwd: undefined })
      assert.isFalse(inside.isError, inside.content)
      assert.isTrue(existsSync(join(root, "new.txt")), inside.content)
      assert.lengthOf(asked, 1)

      const beyond = yield* reply(inside.threadId, write(join(root, "out", "new.txt")))
      assert.isFalse(existsSync(join(at.directory, "new.txt")), beyond.content)
      assert.lengthOf(asked, 1, "The client is not asked about it.")

      const link = yield* start(say("linked"), { cwd: "out" })
      assert.deepInclude(link, { isError: true, threadId: undefined })
      assert.include(link.content, `inside the root ${root}; out is not`)

      const threadId = elsewhere.threadId ?? ""
      const recorded = yield* reply(threadId, say("again"))
      assert.isTrue(recorded.isError)
      assert.include(recorded.content, `outside of the root ${root}`)

      rmSync(join(at.directory, ".local", "state", "zain", agent, `${threadId}.json`))
      const unrecorded = yield* reply(threadId, say("again"))
      assert.isTrue(unrecorded.isError, unrecorded.content)
      assert.include(unrecorded.content, `the root ${root}`)
    },
  )
})
