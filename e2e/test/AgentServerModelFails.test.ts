import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { agents, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as Wishes from "../src/Wishes.ts"

/** Both agents retry by themselves, for up to three minutes. */
const way = { front: "stdio", args: ["--model-timeout", "2 seconds"] } as const

/**
 * How a model fails, and the message of the turn.
 *
 * - `own`: the message of an agent without retries
 * - `ended`: the message of an agent whose retries outlast the server's limit. Codex does not retry a 429
 */
const failures = [
  {
    what: "refuses the connection",
    how: 0,
    own: { codex: /Connection failed/, "claude-code": /Connection refused/ },
    ended: { codex: /could not reach its model for 2s.*Connection failed/, "claude-code": /be reached for 2s/ },
  },
  {
    what: "says 401",
    how: 401,
    own: { codex: /401 Unauthorized: scripted 401/, "claude-code": /401 scripted 401/ },
    ended: { codex: /for 2s.*401 Unauthorized: scripted 401/, "claude-code": /for 2s.*HTTP status 401/ },
  },
  {
    what: "says 429",
    how: 429,
    own: { codex: /429 Too Many Requests/, "claude-code": /429.*scripted 429/ },
    ended: { codex: /429 Too Many Requests/, "claude-code": /for 2s.*HTTP status 429/ },
  },
  {
    what: "says 500",
    how: 500,
    own: { codex: /high demand/, "claude-code": /500 scripted 500/ },
    ended: { codex: /for 2s.*high demand/, "claude-code": /for 2s.*HTTP status 500/ },
  },
  {
    what: "breaks off in the middle",
    how: "dropped" as const,
    own: { codex: /stream disconnected before completion/, "claude-code": /Connection dropped|ECONNRESET/ },
    ended: { codex: /for 2s.*stream disconnected/, "claude-code": /for 2s/ },
  },
]

const places = [true, false].flatMap((isRefused) =>
  [
    { retries: false, tries: "does not try again" },
    { retries: true, tries: "tries again and again" },
  ].map((patience) => ({
    ...patience,
    failing: failures.filter(({ how }) => (how === 0) === isRefused),
    what: isRefused ? "refuses the connection" : "says 401, 429 or 500 or breaks off",
  })),
)

describe.concurrent.each(agents)("the real %s whose model", (agent) => {
  test.live.each(places)(
    "$what, when it $tries: the turn ends in time, and the thread continues",
    function* ({ failing, retries }) {
      const at = yield* place(agent, { retries, isRefused: failing.some(({ how }) => how === 0) })
      const { reply, start } = yield* OfficialClient.connect(at, way)
      for (const { ended, how, own, what } of failing) {
        const broken = Wishes.prompt({ _tag: "Break", how })
        const failed = yield* start(broken.text)
        assert.isTrue(failed.isError, what)
        assert.match(failed.content, (retries ? ended : own)[agent], what)
        const isTold = failed.progress.some((words) => /^Retries: attempt \d+ of \d+ in \d+s: \w+/.test(words))
        if (agent === "claude-code" && how !== "dropped") assert.strictEqual(isTold, retries, what)
        if (how === 0) continue
        const recall = Wishes.prompt({ _tag: "Recall" })
        const next = yield* reply(failed.threadId, recall.text)
        assert.deepInclude(next, { content: JSON.stringify([broken.key, recall.key]), isError: false }, what)
      }
    },
  )
})
