/** Further directories of a session, in which the real agents write as in their own. */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { agents, place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

/** Options with which an agent writes in its directories without a request. Temporary directories, where this test is, are no part. */
const writing = {
  codex: { sandbox: "workspace-write", config: { "sandbox_workspace_write.exclude_slash_tmp": true } },
  "claude-code": { permissionMode: "acceptEdits" },
} as const

describe.each(agents)("`directories` of a session with the real %s", (agent) => {
  test.live("can be written in as `cwd` can, and no other", function* () {
    const at = yield* place(agent)
    const [further, other] = [join(at.directory, "further"), join(at.directory, "other")]
    for (const path of [further, other]) mkdirSync(path)
    const client = yield* OwnClient.adapter(agent)
    const config = OwnClient.local(agent, at)
    const options = { cwd: at.work, directories: [further], ...writing[agent] }
    const session = yield* client.openSession(OwnClient.adding(config, options))
    const write = (path: string) =>
      client.execute(session, {
        content:
          agent === "codex"
            ? Wishes.use("exec_command", { cmd: `touch ${path}` })
            : Wishes.use("Write", { file_path: path, content: "x" }),
      })
    yield* write(join(further, "file"))
    yield* write(join(other, "file"))
    assert.isTrue(existsSync(join(further, "file")))
    assert.isFalse(existsSync(join(other, "file")))
    // It stays with the thread.
    const { threadId = "" } = yield* write(join(at.work, "file"))
    yield* client.closeSession(session)
    const again = yield* client.openSession(OwnClient.going(config)(threadId))
    yield* Effect.asVoid(
      client.execute(again, {
        content:
          agent === "codex"
            ? Wishes.use("exec_command", { cmd: `touch ${join(further, "later")}` })
            : Wishes.use("Write", { file_path: join(further, "later"), content: "x" }),
      }),
    )
    assert.isTrue(existsSync(join(further, "later")))
  })
})
