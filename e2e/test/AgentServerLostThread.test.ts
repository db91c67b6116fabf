import { execFileSync } from "node:child_process"
import { readdirSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { McpConnectionConfig } from "@zain/core"
import * as Effect from "effect/Effect"
import { type Front, type Place, place, programs } from "../src/AgentServers.ts"
import * as Breadth from "../src/Breadth.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

const fronts = (["stdio", "http"] as const).filter((front) => Breadth.isFull({ front }))

const reaching = Effect.fnUntraced(function* (at: Place, front: Front) {
  return front === "stdio"
    ? OwnClient.config(at, { front })
    : OwnClient.config(at, { front, url: (yield* at.serve(front)).url })
})

/** Demands that no session opens with a thread, and that neither the agent's model nor its words are heard. */
const isLost = Effect.fnUntraced(function* (at: Place, config: McpConnectionConfig, threadId: string) {
  const client = yield* OwnClient.adapter(at.agent)
  const asked = (yield* at.model.requests).length
  const providerOptions = { ...config.providerOptions, threadId }
  const error = yield* Effect.flip(client.openSession({ ...config, providerOptions }))
  assert.deepStrictEqual(
    [error._tag, error.reason, error.delivery],
    ["SessionClosed", "conversation-lost", "not-sent"],
    error.message,
  )
  assert.match(error.message, /^The agent has no conversation with this `threadId`/)
  assert.strictEqual((yield* at.model.requests).length, asked)
})

const transcripts = ({ env }: Place) => {
  const projects = join(env["CLAUDE_CONFIG_DIR"] ?? "", "projects")
  return readdirSync(projects, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(projects, name))
}

describe.each(fronts)("a thread that the real claude-code does not have, over %s", (front) => {
  it.live(
    "opens no session: an id that is unknown, is none, names a path, a title or an option, or has another's mark",
    () =>
      Effect.gen(function* () {
        const at = yield* place("claude-code")
        const config = yield* reaching(at, front)
        const unknown = "01a1fcbe-def5-71b2-a37f-9c5760de9da0"
        for (const threadId of [
          unknown,
          unknown.toUpperCase(),
          `${unknown}.bm90IHRoZSBtYXJr`,
          "no such thread",
          "../../settings",
          "--help",
          "x".repeat(2000),
        ]) {
          yield* isLost(at, config, threadId)
        }
      }),
  )

  it.live.each([
    { what: "removed", ruin: (path: string) => rmSync(path) },
    { what: "emptied", ruin: (path: string) => truncateSync(path) },
  ])("opens no session once its transcript is $what", ({ ruin }) =>
    Effect.gen(function* () {
      const at = yield* place("claude-code")
      const config = yield* reaching(at, front)
      const client = yield* OwnClient.adapter("claude-code")
      const session = yield* client.openSession(config)
      const { threadId = "" } = yield* client.execute(session, {
        content: Wishes.prompt({ _tag: "Say", text: "one" }).text,
      })
      yield* client.closeSession(session)
      const found = transcripts(at)
      assert.lengthOf(found, 1)
      for (const path of found) ruin(path)
      yield* isLost(at, config, threadId)
    }),
  )
})

describe.each(fronts)("a thread that the real codex does not have, over %s", (front) => {
  it.live("opens no session: an id that is unknown, is none, names a path, or is spelled otherwise", () =>
    Effect.gen(function* () {
      const at = yield* place("codex")
      const config = yield* reaching(at, front)
      const unknown = "01a1fcbe-def5-71b2-a37f-9c5760de9da0"
      const spelled = [unknown.toUpperCase(), `urn:uuid:${unknown}`, `${unknown}.bm90IHRoZSBtYXJr`]
      for (const threadId of [unknown, ...spelled, "no such thread", "../../config.toml", "--help", "x".repeat(2000)]) {
        yield* isLost(at, config, threadId)
      }
    }),
  )

  it.live.each<{ readonly what: string; readonly ruin: (at: Place, threadId: string) => void }>([
    { what: "is archived", ruin: (at, threadId) => void codex(at, "archive", threadId) },
    { what: "is deleted", ruin: (at, threadId) => void codex(at, "delete", "--force", threadId) },
    { what: "has no rollout", ruin: (at) => rmSync(join(at.env["CODEX_HOME"] ?? "", "sessions"), { recursive: true }) },
  ])("opens no session once it $what", ({ ruin }) =>
    Effect.gen(function* () {
      const [at, foreign] = [yield* place("codex"), yield* place("codex")]
      const config = yield* reaching(at, front)
      const client = yield* OwnClient.adapter("codex")
      const session = yield* client.openSession(config)
      const { text } = Wishes.prompt({ _tag: "Say", text: "one" })
      const { threadId = "" } = yield* client.execute(session, { content: text })
      yield* client.closeSession(session)
      yield* isLost(foreign, yield* reaching(foreign, front), threadId)
      ruin(at, threadId)
      yield* isLost(at, config, threadId)
    }),
  )
})

const codex = ({ directory: cwd, env }: Place, ...args: ReadonlyArray<string>) =>
  execFileSync(programs.codex, args, { cwd, env: { PATH: process.env["PATH"], ...env }, stdio: "pipe" })
