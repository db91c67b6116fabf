import { execFileSync } from "node:child_process"
import { readdirSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { type AgentName, agents, type Place, place, programs } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

/** Demands that no session opens with a thread, and that the agent's model receives no request. */
const isLost = Effect.fnUntraced(function* (at: Place, threadId: string) {
  const client = yield* OwnClient.adapter(at.agent)
  const asked = (yield* at.model.requests).length
  const error = yield* Effect.flip(client.openSession(OwnClient.going(OwnClient.config(at))(threadId)))
  const lost = { _tag: "SessionClosed", reason: "conversation-lost", delivery: "not-sent" } as const
  assert.deepInclude(error, lost, error.message)
  assert.match(error.message, /^The agent has no conversation with this `threadId`/)
  assert.strictEqual((yield* at.model.requests).length, asked)
})

/** Damages the transcript of the only conversation in a home of Claude Code. */
const transcript =
  (ruin: (path: string) => void) =>
  ({ env }: Place) => {
    const projects = join(env["CLAUDE_CONFIG_DIR"] ?? "", "projects")
    const found = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"))
    assert.lengthOf(found, 1)
    for (const name of found) ruin(join(projects, name))
  }

const codex = ({ directory: cwd, env }: Place, ...args: ReadonlyArray<string>) =>
  void execFileSync(programs.codex, args, { cwd, env: { PATH: process.env["PATH"], ...env }, stdio: "pipe" })

const unknown = "01a1fcbe-def5-71b2-a37f-9c5760de9da0"

const ruins: ReadonlyArray<{
  readonly agent: AgentName
  readonly what: string
  readonly ruin: (at: Place, threadId: string) => void
}> = [
  { agent: "claude-code", what: "its transcript is removed", ruin: transcript(rmSync) },
  { agent: "claude-code", what: "its transcript is emptied", ruin: transcript(truncateSync) },
  { agent: "codex", what: "it is archived", ruin: (at, threadId) => codex(at, "archive", threadId) },
  { agent: "codex", what: "it is deleted", ruin: (at, threadId) => codex(at, "delete", "--force", threadId) },
  {
    agent: "codex",
    what: "it has no rollout",
    ruin: ({ env }) => rmSync(join(env["CODEX_HOME"] ?? "", "sessions"), { recursive: true }),
  },
]

describe("`openSession` fails for a thread that the real agent does not have:", () => {
  test.live.each(agents)(
    "of %s, with an id that is unknown, malformed, a path, an option, or spelled in another way",
    function* (agent) {
      const at = yield* place(agent)
      const spelled = [unknown.toUpperCase(), `${unknown}.bm90IHRoZSBtYXJr`]
      const others = [agent === "codex" ? "../../config.toml" : "../../settings", "--help", "x".repeat(2000)]
      for (const threadId of [unknown, ...spelled, ...others]) yield* isLost(at, threadId)
    },
  )

  test.live.each(ruins)("of $agent, after $what, and in another home", function* ({ agent, ruin }) {
    const at = yield* place(agent)
    const client = yield* OwnClient.adapter(agent)
    const session = yield* client.openSession(OwnClient.config(at))
    const { text } = Wishes.prompt({ _tag: "Say", text: "one" })
    const { threadId = "" } = yield* client.execute(session, { content: text })
    yield* client.closeSession(session)
    yield* isLost(yield* place(agent), threadId)
    ruin(at, threadId)
    yield* isLost(at, threadId)
  })
})
