/**
 * The fourth editor behind MCP: over a socket that answers, and with a peer that a test scripts.
 */
import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { assert, describe } from "@effect/vitest"
import { listening } from "@zain/testkit/Listening"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { fourthEditor } from "../../editor-link/testing/FourthEditor.ts"

/** Answers each line with the name of its tool. */
const fake = listening((socket) => {
  createInterface({ input: socket }).on("line", (line) => {
    const { id, do: name } = JSON.parse(line)
    socket.write(`${JSON.stringify({ id, ok: `did ${name}` })}\n`)
  })
}).pipe(Effect.map((port) => ({ host: "127.0.0.1", port })))

describe("a fourth editor", () => {
  test.live("it is a value of under 60 lines (editors House 1)", function* () {
    const source = yield* Effect.promise(() =>
      readFile(new URL("../../editor-link/testing/FourthEditor.ts", import.meta.url), "utf8"),
    )
    assert.isBelow(source.split("\n").length, 60)
  })

  test.live("its tools are listed, and its answers are their results (editors House 1)", function* () {
    const { call, names } = yield* Editors.client(yield* Editors.server(fourthEditor, [yield* fake]))
    assert.deepStrictEqual(yield* names, ["look", "draw"])
    assert.strictEqual(Editors.textOf(yield* call("draw", {})), "did draw")
  })
})
