/** Conversations that the real agents' own command lines have begun. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, describe } from "@effect/vitest"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { agents, place, programs } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as Programs from "../src/Programs.ts"
import * as ThreadsClient from "../src/ThreadsClient.ts"
import * as Wishes from "../src/Wishes.ts"

const own = { codex: ["exec", "--skip-git-repo-check"], "claude-code": ["-p"] }

interface Read {
  readonly turns: ReadonlyArray<{ readonly prompt: string; readonly events: ReadonlyArray<object> }>
}

describe.each(agents)("a conversation of the command line of the real %s", (agent) => {
  test.live("is listed, read, forked and continued", function* () {
    const at = yield* place(agent)
    const { text } = Wishes.prompt({ _tag: "Say", text: "sesame" })
    const running = promisify(execFile)(programs[agent], [...own[agent], text], {
      cwd: at.work,
      env: { ...Programs.environment, ...at.env },
      timeout: OfficialClient.timeout,
    })
    running.child.stdin?.end()
    yield* Effect.promise(() => running)
    const server = new StdioClientTransport({ ...at.command("stdio"), stderr: "inherit" }) as Transport
    const { ask, listed } = yield* ThreadsClient.connect(server)
    const [threadId, ...others] = yield* listed
    assert.isEmpty(others)
    const { turns } = (yield* ask({ action: "read", threadId, limit: 16 })) as Read
    assert.deepStrictEqual(
      turns.map(({ events, prompt }) => ({ events, prompt })),
      [{ prompt: text, events: [{ _tag: "Message", text: "sesame" }] }],
    )
    const fork = (yield* ask({ action: "fork", threadId })) as { readonly threadId: string }
    const { reply } = yield* OfficialClient.connect(at)
    const answer = yield* reply(fork.threadId, Wishes.prompt({ _tag: "Say", text: "again" }).text)
    assert.deepInclude(answer, { content: "again", isError: false })
    const requests = yield* at.model.requests
    assert.include(JSON.stringify(requests.at(-1)?.body), "sesame")
  })
})
