/**
 * Who may use a listening server whose clients run code: those that have its token.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as RawHttp from "@zain/testkit/RawHttp"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { eventually } from "../../../tool-server/testing/TestServer.ts"
import { run } from "../../testing/command/Started.ts"

const mine = "a-token-of-the-test-alone"

/** Starts the command for a Blender that does not run, on a free port; gives what it says. */
const begin = Effect.fnUntraced(function* (kind: "http" | "sse" | "ws", ...more: ReadonlyArray<string>) {
  const server = yield* run(["blender", kind, "--port", "0", "--json", ...more], {}, (home) =>
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

describe("zain-editor-mcp blender", () => {
  test.live.each(["http", "sse", "ws"] as const)(
    "over %s makes a token that each request needs, in a private file that goes with it (editors 003.16)",
    function* (kind) {
      const { child, errors, exit, home, status, tokenFile = "", url } = yield* begin(kind)
      assert.include(url, "//127.0.0.1:")
      assert.strictEqual(dirname(tokenFile), join(home, ".local", "state", "zain", "tokens"))
      assert.deepStrictEqual([modeOf(tokenFile), modeOf(dirname(tokenFile))], ["600", "700"])
      const token = readFileSync(tokenFile, "utf8").trim()
      assert.match(token, /^[\w-]{43}$/)
      assert.deepStrictEqual([(yield* status()).status, (yield* status(mine)).status], [401, 401])
      const { status: code, text } = yield* status(token)
      assert.deepStrictEqual([code, JSON.parse(text).editor], [200, "Idle"])
      const claude = `claude mcp add --transport ${kind} blender ${url} --header "Authorization: Bearer $(cat ${tokenFile})"`
      yield* eventually(() => errors().includes(kind === "ws" ? tokenFile : claude))
      assert.strictEqual(errors().includes("claude mcp add"), kind !== "ws")
      assert.notInclude(errors(), token)
      child.kill("SIGTERM")
      assert.strictEqual(yield* exit, 0)
      assert.isFalse(existsSync(tokenFile))
    },
  )

  test.live.each<readonly [why: string, options: ReadonlyArray<string>]>([
    ["runs no code of clients", ["--code", "off"]],
    ["has a fake Blender", ["--fake"]],
  ])("needs no token where it %s", function* ([_, options]) {
    const { errors, status, tokenFile } = yield* begin("http", ...options)
    assert.isUndefined(tokenFile)
    assert.strictEqual((yield* status()).status, 200)
    assert.notInclude(errors(), "token")
  })

  test.live("makes none where --token-file names one", function* () {
    const { home, status, tokenFile } = yield* begin("http", "--token-file", "tokens")
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
