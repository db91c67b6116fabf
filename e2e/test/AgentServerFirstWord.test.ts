import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { agents, place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as OwnProcesses from "../src/OwnProcesses.ts"
import * as Programs from "../src/Programs.ts"
import * as Steps from "../src/Steps.ts"
import * as Wishes from "../src/Wishes.ts"

/** The processes that are killed when the thread is named: the agent too, and processes that the agent does not need. */
const moments = [
  { what: "host, server, guards and agent", when: "ThreadStarted", line: /^thread/, isKilled: /./ },
  { what: "host, server and guards", when: "the first word", line: /^word/, isKilled: / zain-guard |zain-[a-z-]+-mcp/ },
] as const

describe.each(agents)("the first turn of the real %s", (agent) => {
  test.live.each(moments)(
    "is in its model's next request after $what were killed by SIGKILL at $when (promise 31)",
    function* ({ isKilled, line: awaited }) {
      const steps = yield* Steps.make
      const at = yield* steps.hold(place(agent))
      const first = Wishes.prompt({ _tag: "Say", text: "one two", chunks: 2, pause: 1 })
      const { directory, env } = at
      const args = [agent, "agent-server", JSON.stringify({ directory, env }), first.text]
      const host = yield* Programs.scoped(() => Programs.start("e2e/test/HostProgram.ts", {}, args), "SIGKILL")
      yield* steps.next
      let named = ""
      yield* Effect.promise(async () => {
        for await (const line of createInterface({ input: host.stdout as Readable })) {
          named ||= line
          if (!awaited.test(line)) continue
          const killed = OwnProcesses.descendants(host.pid ?? 0).filter(({ command }) => isKilled.test(command))
          assert.isAtLeast(killed.length, 3, "The server, and a guard of each of the two")
          OwnProcesses.killAtOnce([{ pid: host.pid ?? 0 }, ...killed])
          return
        }
      })
      assert.match(named, /^thread ./, "The thread comes before the first word.")
      const threadId = named.replace("thread ", "")

      const client = yield* OwnClient.adapter(agent)
      const session = yield* client.openSession(OwnClient.going(OwnClient.local(agent, at))(threadId))
      const recall = Wishes.prompt({ _tag: "Recall" })
      const { content } = yield* client.execute(session, { content: recall.text })
      assert.deepStrictEqual(JSON.parse(content), [first.key, recall.key])
    },
  )
})
