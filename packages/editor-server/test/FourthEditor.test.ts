import { readFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { test } from "../../core/test/Test.ts"
import * as Editors from "./Editors.ts"
import { fourthEditor } from "./FourthEditor.ts"

/** An editor that answers each line with what it was asked; its port. */
const echo = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.setEncoding("utf8").on("data", (lines: string) => {
        for (const line of lines.trim().split("\n")) {
          const { id, ...asked } = JSON.parse(line)
          socket.write(`${JSON.stringify({ id, ok: asked })}\n`)
        }
      })
    })
    const close = () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
    server.listen(0, "127.0.0.1", () => {
      resume(Effect.succeed({ port: (server.address() as { readonly port: number }).port, close }))
    })
  }),
  ({ close }) => Effect.sync(close),
)

test.live("a fourth editor is a value of under 60 lines, whose tools a client calls (editors House 1)", function* () {
  const source = readFileSync(new URL("./FourthEditor.ts", import.meta.url), "utf8")
  assert.isBelow(source.split("\n").length, 60)
  const { port } = yield* echo
  const server = yield* Editors.server(fourthEditor, [{ host: "127.0.0.1", port }])
  const { call, names } = yield* Editors.client(server)
  assert.deepStrictEqual(yield* names, ["look", "draw"])
  const drawn = yield* call("draw", { what: "a line" })
  assert.deepStrictEqual(JSON.parse(Editors.textOf(drawn)), { do: "draw", with: { what: "a line" } })
})
