import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as TokenFile from "@zain/tool-server/http/TokenFile"
import { Effect, Redacted } from "effect"
import * as TestServer from "../../testing/TestServer.ts"
import * as HttpSession from "./HttpSession.ts"

const token = "a-token-of-24-characters"
const start = (options: TestServer.StartOptions) => TestServer.start({ kind: "http", ...options })
const said = (url: string, token?: string) =>
  Effect.flatMap(HttpSession.open(url, token), ({ post }) =>
    Effect.map(post(HttpSession.echo("x")), HttpSession.textOf),
  )

/** A file with this text and mode. */
const file = (text: string, mode = 0o600) =>
  Effect.map(directory, (at) => {
    const path = join(at, "tokens")
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  })

describe("a server at its start", () => {
  test.live.each(["0.0.0.0", "::", "192.0.2.1", "example.org"])(
    "fails without a token on an address that other machines can reach (promises 25 and 26): %s",
    function* (host) {
      const error = yield* Effect.flip(start({ host }))
      assert.strictEqual(error.reason, "token-required")
      assert.match(error.message, /--token-file/)
    },
  )

  test.live.each(["localhost", "127.0.0.1", "[::1]", "::1"])(
    "requires no token at %s, and returns its URL",
    function* (host) {
      const { url } = yield* start({ host })
      assert.strictEqual(yield* said(url), "x")
    },
  )

  test.live("listens on all addresses with a token, but accepts no wildcard as its name (promise 25)", function* () {
    const { port, url } = yield* start({ host: "0.0.0.0", tokens: [token] })
    assert.strictEqual(url, `http://127.0.0.1:${port}/mcp`)
    const client = yield* HttpSession.open(`http://127.0.0.1:${port}/mcp`, token)
    const headers = { ...client.headers, host: `0.0.0.0:${port}` }
    assert.strictEqual((yield* client.raw.send({ headers, body: HttpSession.echo("x") })).status, 403)
  })

  test.live.each(["0.0.0.0", "::"])("on %s returns a URL that this machine can reach", function* (host) {
    const { url } = yield* start({ host, tokens: [token] })
    assert.strictEqual(yield* said(url, token), "x")
  })

  test.live("fails with the code if the port is in use", function* () {
    const taken = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve))),
    )
    const { port } = taken.address() as { readonly port: number }
    const error = yield* Effect.flip(start({ port }))
    assert.strictEqual(error.reason, "listen-failed")
    assert.include(error.message, String(port))
  })

  test.live.each([{ allowedHosts: ["https://x"] }, { allowedOrigins: ["null"] }, { allowedOrigins: ["x.example"] }])(
    "fails with invalid names: %o",
    function* (options) {
      assert.strictEqual((yield* Effect.flip(start(options))).reason, "invalid-option")
    },
  )
})

describe("a token file (promise 26)", () => {
  test.live("has a token on each line, which are not shown", function* () {
    const path = yield* file(`# mine\n${token}\r\n\n  ${token}-2  \n`)
    const tokens = yield* TokenFile.read(path)
    assert.deepStrictEqual(
      tokens.map(({ value }) => Redacted.value(value)),
      [token, `${token}-2`],
    )
    assert.notInclude(inspect(tokens, { depth: 9, showHidden: true }) + JSON.stringify(tokens) + String(tokens), token)
  })

  test.live.each([
    ["is readable by others", token, 0o640],
    ["is writable by others", token, 0o602],
    ["has no token", "# nothing\n\n", 0o600],
    ["has one that is too short", `${token}\nshort-secret\n`, 0o600],
    ["has one with a space", "two words that are long\n", 0o600],
    ["is huge", "x".repeat(70_000), 0o600],
  ] as const)("is rejected if it %s, without showing its text", function* ([_, text, mode]) {
    const path = yield* file(text, mode)
    const error = yield* Effect.flip(TokenFile.read(path))
    assert.strictEqual(error.reason, "token-file")
    assert.include(error.message, path)
    for (const secret of [token, "short-secret", "two words"]) assert.notInclude(inspect(error), secret)
  })

  test.live("is rejected if it does not exist or is not a regular file", function* () {
    const at = yield* directory
    mkdirSync(join(at, "folder"))
    for (const path of [join(at, "none"), join(at, "folder")]) {
      assert.strictEqual((yield* Effect.flip(TokenFile.read(path))).reason, "token-file")
    }
  })
})
