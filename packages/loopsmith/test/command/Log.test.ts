/**
 * The form of the log, and its masking of secrets.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Secrets from "@zain/command/Secrets"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Log from "../../src/command/Log.ts"
import type { LogLevel } from "../../src/command/Options.ts"

/** The lines that a program logs. */
const logged = Effect.fnUntraced(function* (
  level: LogLevel,
  program: Effect.Effect<unknown>,
  mask: Secrets.Mask = (text) => text,
) {
  const lines: Array<string> = []
  const log = Log.layer({ level, mask, write: (line) => void lines.push(line) })
  yield* Effect.exit(program).pipe(Effect.provide(log))
  return lines
})

describe("Log.layer", () => {
  test("writes time, level, message and annotations in one line", function* () {
    const program = Effect.logInfo("evaluated").pipe(Effect.annotateLogs({ score: 7.2, reason: "two words" }))
    const [line = ""] = yield* logged("info", program)
    assert.strictEqual(line, '1970-01-01T00:00:00.000Z INFO  evaluated score=7.2 reason="two words"')
  })

  test("writes no entry below its level", function* () {
    const all = Effect.all([Effect.logDebug("a"), Effect.logInfo("b"), Effect.logWarning("c"), Effect.logError("d")])
    const count = (level: LogLevel) => Effect.map(logged(level, all), (lines) => lines.length)
    assert.deepStrictEqual(
      yield* Effect.all([count("debug"), count("info"), count("warn"), count("error")]),
      [4, 3, 2, 1],
    )
  })

  test("writes one line without control characters, whatever is logged", function* () {
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    const program = Effect.all([
      Effect.logInfo("one\ntwo\r\u001b[2Jthree", new Error("four\nfive"), cyclic, 6n, undefined),
      Effect.logError("long", "x".repeat(1_000_000)),
    ])
    const [first = "", second = ""] = yield* logged("info", program)
    assert.include(first, "one two three four five")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
    assert.notMatch(first, /[\u0000-\u001f]/)
    assert.isBelow(second.length, 5_000)
  })

  test("masks values of variables, tokens, credentials and texts that look like keys (LoopSmith 11)", function* () {
    const env = {
      OPENAI_API_KEY: "plain-looking-value",
      GH_TOKEN: 'quoted "and" spaced',
      HTTPS_PROXY: "http://user:pass-word@proxy.example:8080",
      HOME: "/home/somebody",
      EMPTY_TOKEN: "",
    }
    const mask = Secrets.masking(env, ["token-of-a-client"])
    const program = Effect.logError(
      "refused: plain-looking-value, token-of-a-client, Authorization: bearer abc.def-123, sk-proj-1234567890abcdef",
      { nested: { token: 'quoted "and" spaced' } },
      Buffer.from("plain-looking-value").toString("base64"),
    ).pipe(
      Effect.annotateLogs({
        json: JSON.stringify(env.GH_TOKEN),
        proxy: env.HTTPS_PROXY,
        other: "https://me:hidden@host/path",
        home: env.HOME,
      }),
    )
    const [line = ""] = yield* logged("info", program, mask)
    assert.notMatch(line, /plain-looking|token-of|abc\.def|sk-proj|quoted|pass-word|hidden|cGxhaW4/)
    for (const kept of ["refused:", "home=/home/somebody", "host/path"]) assert.include(line, kept)
  })

  it("does not mask ordinary words, whatever the variables are (LoopSmith 11)", () => {
    const mask = Secrets.masking({ GIT_AUTH: "basic", NO_PROXY: "none", API_KEY: "unset", MY_TOKEN: "long-enough" })
    const kept = "Basic usage is none of the bearer tokens; a Bearer authentication header is unset."
    assert.strictEqual(mask(kept), kept)
    const given = '{"Authorization": "Basic dXNlcg=="} Authorization: Bearer abc long-enough Bearer eyJ0-9_.x'
    for (const secret of ["dXNlcg", "abc", "long-enough", "eyJ0"]) assert.notInclude(mask(given), secret)
  })

  it("does not mask authors, proxies without credentials, and words that begin like a key", () => {
    const mask = Secrets.masking({
      GIT_AUTHOR_NAME: "Grace Hopper",
      XAUTHORITY: "/run/user/1000/xauth",
      NO_PROXY: "localhost,127.0.0.1",
      https_proxy: "http://proxy.example:8080",
    })
    const kept = [
      "By Grace Hopper, in /run/user/1000/xauth, at localhost,127.0.0.1 and http://proxy.example:8080:",
      "sk-learn-and-more-of-its-kind, sk-1234, the authorization header is missing, Authorization is needed.",
    ].join(" ")
    assert.strictEqual(mask(kept), kept)
  })

  it("masks the credentials of proxies, and variables of authors and proxies whose names mark a secret", () => {
    const mask = Secrets.masking({
      HTTP_PROXY: "http://some-user:pass-word@proxy.example:8080",
      ALL_PROXY: "bare-user:bare-word@bare.example:1080",
      HTTPS_PROXY: "http://odd-user:od#d/w@rd@odd.example",
      GIT_AUTHOR_TOKEN: "author-token",
      HTTP_AUTHORIZATION: "authorization-value",
      PROXY_PASSWORD: "proxy-password",
    })
    assert.strictEqual(
      mask("http://some-user:pass-word@proxy.example:8080 bare-user:bare-word@bare.example:1080 some-user"),
      "http://<redacted>@proxy.example:8080 <redacted>@bare.example:1080 <redacted>",
    )
    const given = "pass-word bare-word od#d/w@rd author-token authorization-value proxy-password"
    assert.strictEqual(mask(given), Array(6).fill("<redacted>").join(" "))
  })

  it("masks the scheme and the credentials after Authorization, whatever the scheme (LoopSmith 11)", () => {
    const mask = Secrets.masking({})
    for (const [given, shown] of [
      ["Authorization: token x", "Authorization: <redacted>"],
      ["Authorization: ApiKey x\nAccept: y", "Authorization: <redacted>\nAccept: y"],
      ["Proxy-Authorization: AWS4-HMAC-SHA256 x", "Proxy-Authorization: <redacted>"],
      ["authorization=x was refused", "authorization=<redacted> refused"],
      ["authorization Basic eA== sent", "authorization <redacted> sent"],
      ["HTTP_AUTHORIZATION='x'", "HTTP_AUTHORIZATION='<redacted>"],
      [String.raw`"{\"Authorization\": \"token x\"}"`, String.raw`"{\"Authorization\": \"<redacted>`],
    ] as const)
      assert.strictEqual(mask(given), shown)
  })

  it("masks in time linear in the text (promise 29)", () => {
    const mask = Secrets.masking({})
    for (const text of [
      "Bearer ".repeat(200_000),
      `sk-${"a-".repeat(500_000)}`,
      "sk-".repeat(300_000),
      `authorization: a${" ".repeat(1_000_000)}`,
      `authorization:${"a".repeat(1_000_000)}`,
      "authorization: ".repeat(70_000),
      "//a:".repeat(300_000),
      "a".repeat(1_000_000),
    ]) {
      const before = process.cpuUsage()
      mask(text)
      assert.isBelow(process.cpuUsage(before).user, 5_000_000)
    }
  })
})
