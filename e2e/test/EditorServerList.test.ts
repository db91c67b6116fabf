import { writeFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as EditorPlace from "../src/EditorPlace.ts"

const cases = (["unity", "unity-loop", "blender"] as const).flatMap((profile) =>
  EditorPlace.doors.flatMap((door) => [true, false].map((hasEditor) => ({ profile, door, hasEditor }))),
)
const nameOf = ({ door, hasEditor, profile }: (typeof cases)[number]) =>
  `${profile}-${door}-${hasEditor ? "with-editor" : "alone"}`

test.live(
  "`claude mcp list` of the real Claude Code shows each profile connected over stdio and over HTTP, with an editor and without one (editors 000.2, 003.1, 004.5)",
  function* () {
    const place = yield* EditorPlace.make()
    const started = yield* Effect.forEach(
      cases,
      Effect.fnUntraced(function* (each) {
        const way = EditorPlace.ways[each.profile]
        const { editor, where } = each.hasEditor ? yield* way.start : { editor: undefined, where: yield* way.absent }
        const server = yield* place.server(each.profile, each.door, where)
        return { name: nameOf(each), server, hasEditor: () => editor?.seen[0]?._tag === "Opened" }
      }),
    )
    // As `claude mcp add --scope user` writes them.
    const settings = `${place.env["CLAUDE_CONFIG_DIR"]}/.claude.json`
    const mcpServers = Object.fromEntries(started.map(({ name, server }) => [name, server]))
    writeFileSync(settings, JSON.stringify({ mcpServers }), { mode: 0o600 })
    const listed = yield* place.agent("claudeCode", ["mcp", "list"])
    const connected = listed.split("\n").flatMap((line) => /^([\w-]+): .* - ✔/.exec(line)?.[1] ?? [])
    assert.deepStrictEqual(connected.sort(), cases.map(nameOf).sort(), listed)
    const reached = started.map(({ hasEditor }) => hasEditor())
    assert.deepStrictEqual(
      reached,
      cases.map(({ hasEditor }) => hasEditor),
    )
  },
)
