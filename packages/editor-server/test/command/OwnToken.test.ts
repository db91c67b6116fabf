/**
 * Who may use a listening server whose clients run code: those that have its token.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { blenderCommand } from "@zain/editor-blender/BlenderCommand"
import * as OwnToken from "@zain/editor-link/infrastructure/mcp/OwnToken"
import * as RawHttp from "@zain/testkit/RawHttp"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { eventually } from "../../../tool-server/testing/TestServer.ts"
import { run } from "../../testing/command/Started.ts"

const mine = "a-token-of-the-test-alone"

/** Starts the command for a Blender that does not run, on a free port; gives what it says. */
const begin = Effect.fnUntraced(function* (...more: ReadonlyArray<string>) {
  const server = yield* run(["blender", "http", "--port", "0", "--json", ...more], {}, (home) =>
    writeFileSync(join(home, "tokens"), `${mine}\n`, { mode: 0o600 }),
  )
  yield* eventually(() => server.lines.length > 0)
  const { tokenFile, url } = JSON.parse(server.lines[0] ?? "") as { readonly tokenFile?: string; readonly url: string }
  const client = yield* RawHttp.make(url)
  const status = (token?: string) =>
    client.send({ path: "/status", headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
  return { ...server, tokenFile, url, status }
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** How Claude Code is connected. */
const claude = (kind: string, url: string, file: string) =>
  `claude mcp add --transport ${kind} blender ${url} --header "Authorization: Bearer $(cat ${file})"`

describe("zain-editor-mcp blender", () => {
  test.live(
    "over http makes a token that each request needs, in a private file that goes with it (editors 003.16)",
    function* () {
      const { child, errors, exit, home, status, tokenFile = "", url } = yield* begin()
      assert.include(url, "//127.0.0.1:")
      assert.strictEqual(dirname(tokenFile), join(home, ".local", "state", "zain", "tokens"))
      assert.deepStrictEqual([modeOf(tokenFile), modeOf(dirname(tokenFile))], ["600", "700"])
      const token = readFileSync(tokenFile, "utf8").trim()
      assert.match(token, /^[\w-]{43}$/)
      assert.deepStrictEqual([(yield* status()).status, (yield* status(mine)).status], [401, 401])
      const { status: code, text } = yield* status(token)
      assert.deepStrictEqual([code, JSON.parse(text).editor], [200, "Idle"])
      yield* eventually(() => errors().includes(claude("http", url, tokenFile)))
      assert.notInclude(errors(), token)
      child.kill("SIGTERM")
      assert.strictEqual(yield* exit, 0)
      assert.isFalse(existsSync(tokenFile))
    },
  )

  test("over sse and ws it names the file too, and Claude Code where that has the transport", function* () {
    yield* Effect.void
    const linesOf = (kind: "sse" | "ws") => OwnToken.announce("blender", kind, "/tokens/a")("http://host/at").lines
    for (const kind of ["sse", "ws"] as const) assert.include(linesOf(kind)[0], "/tokens/a")
    assert.deepStrictEqual(linesOf("sse").slice(1), [claude("sse", "http://host/at", "/tokens/a")])
    assert.deepStrictEqual(linesOf("ws").slice(1), [])
  })

  test.live("needs no token where it runs no code of clients, or simulates Blender", function* () {
    const { errors, status, tokenFile } = yield* begin("--code", "off")
    assert.isUndefined(tokenFile)
    assert.strictEqual((yield* status()).status, 200)
    assert.notInclude(errors(), "token")
    for (const more of [{ fake: true }, { replay: "file" }])
      assert.isFalse(blenderCommand.needsToken?.({ code: true, fake: false, replay: undefined, ...more }))
  })

  test.live("makes none where --token-file names one", function* () {
    const { home, status, tokenFile } = yield* begin("--token-file", "tokens")
    assert.isUndefined(tokenFile)
    assert.deepStrictEqual([(yield* status()).status, (yield* status(mine)).status], [401, 200])
    assert.deepStrictEqual(readdirSync(home), ["tokens"])
  })

  test.live("makes none for other machines, which cannot read it, and does not listen to them", function* () {
    const server = yield* run(["blender", "http", "--port", "0", "--host", "0.0.0.0"])
    assert.strictEqual(yield* server.exit, 1)
    assert.include(server.errors(), "--token-file")
    assert.deepStrictEqual(readdirSync(server.home), [])
  })
})
