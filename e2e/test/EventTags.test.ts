/**
 * The events of the real agents: which of them sends which, as docs/concepts/events.md says, and nothing else without a reason.
 *
 * `ZAIN_WRITE=1` writes the table of the page.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { McpEvent } from "@zain/core"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { byMethod } from "../../packages/codex-client/src/server/CodexEvents.ts"
import { read as readItems } from "../../packages/codex-client/src/server/CodexItems.ts"
import { read as readByTurn } from "../../packages/codex-client/src/server/CodexTurnReader.ts"
import * as EventScenes from "../src/EventScenes.ts"
import * as LeftRaw from "../src/LeftRaw.ts"
import { binaries } from "../src/RealAgents.ts"

const page = new URL("../../docs/concepts/events.md", import.meta.url)
const row = /^\| `(\w+)` +\|/

/** The events that Zain makes, those that the contract suite proves of every agent, and those that a scene may lack. */
const ofEveryAgent = new Set([
  ...["TurnStarted", "ThreadStarted", "TurnCompleted", "TurnFailed", "Dropped", "Heartbeat", "Raw"],
  ...["ApprovalAsked", "ApprovalDecided", "BackgroundFinished", "ServerFailed", "SteersUnused"],
])

/** The rows of the page's table, with its last two columns by what the agents sent. */
const written = (text: string, sent: readonly [ReadonlySet<string>, ReadonlySet<string>]) =>
  text
    .split("\n")
    .map((line) => {
      const [, tag] = row.exec(line) ?? []
      if (tag === undefined || ofEveryAgent.has(tag)) return line
      const cells = line.split("|").slice(1, -1)
      return `|${[...cells.slice(0, -2), ...sent.map((tags, at) => (tags.has(tag) ? " yes" : "").padEnd(at === 0 ? 7 : 13))].join("|")}|`
    })
    .join("\n")

interface Message {
  readonly type?: string
  readonly subtype?: string
  readonly event?: {
    readonly type?: string
    readonly delta?: { readonly type?: string }
    readonly content_block?: { readonly type?: string }
  }
}

const kindOf = (event: McpEvent): string | undefined => {
  if (event._tag !== "Raw") return undefined
  const { event: inner, subtype, type } = event.params as Message
  return [type, subtype, inner?.type, inner?.delta?.type, inner?.content_block?.type]
    .filter((part) => part !== undefined)
    .join("/")
}

describe("the events of the real agents (docs/concepts/events.md)", () => {
  test.live("are those that the page lists, and Claude Code sends nothing else without a reason", function* () {
    const [codex, claude] = yield* Effect.all([EventScenes.play("codex"), EventScenes.play("claude-code")])
    const tags = (events: ReadonlyArray<McpEvent>) => new Set<string>(events.map(({ _tag }) => _tag))
    const now = readFileSync(page, "utf8")
    const next = written(now, [tags(codex), tags(claude)])
    if (process.env["ZAIN_WRITE"] === "1") writeFileSync(page, next)
    else assert.strictEqual(now, next)
    for (const events of [codex, claude]) {
      const ids = events.flatMap((event) => (event._tag === "SubagentStarted" ? [event.agentId] : []))
      const parents = events.flatMap(({ parent }) => parent ?? [])
      assert.deepStrictEqual([...new Set(parents)], ids)
      const limits = events.filter(({ _tag }) => _tag === "RateLimit").map(({ turn }) => turn)
      assert.deepStrictEqual(limits, [...new Set(limits)], "A limit that has not changed is reported once a turn.")
    }
    const known = new Set(Object.keys(LeftRaw.claudeCode))
    const unknown = claude.flatMap((event) => kindOf(event) ?? []).filter((kind) => !known.has(kind))
    assert.deepStrictEqual([...new Set(unknown)], [])
  })

  test.live("of Codex are all that it may send, or have a reason not to be", function* () {
    const home = yield* directory
    execFileSync(binaries.codex, ["app-server", "generate-ts", "--experimental", "--out", home], {
      env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home },
      stdio: "ignore",
    })
    const namesIn = (file: string, member: string) =>
      [...readFileSync(join(home, file), "utf8").matchAll(new RegExp(`"${member}": "([^"]+)"`, "g"))].map(
        ([, name = ""]) => name,
      )
    const sorted = (names: ReadonlyArray<string>) => [...new Set(names)].sort()
    assert.deepStrictEqual(
      sorted(namesIn("ServerNotification.ts", "method")),
      sorted([...byMethod.keys(), ...readByTurn, ...Object.keys(LeftRaw.codex)]),
    )
    assert.deepStrictEqual(
      sorted(namesIn("v2/ThreadItem.ts", "type")),
      sorted([...readItems, ...Object.keys(LeftRaw.codexItems)]),
    )
  })
})
