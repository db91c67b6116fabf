import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Environment from "../src/Environment.ts"
import * as Redactor from "../src/Redactor.ts"
import * as StderrTail from "../src/StderrTail.ts"

describe("Environment (promise 18)", () => {
  const host = {
    PATH: "/bin",
    HOME: "/home/x",
    LC_ALL: "C",
    AWS_SECRET_ACCESS_KEY: "aws",
    CODEX_HOME: "/c",
    MY_TOKEN: "tok",
  }

  it("passes the usual, the allowed and the named, and nothing else", () => {
    const { env } = Environment.make(host, ["CODEX_*"], { EXTRA: Redacted.make("1") })
    assert.deepStrictEqual(env, { PATH: "/bin", HOME: "/home/x", LC_ALL: "C", CODEX_HOME: "/c", EXTRA: "1" })
  })

  it("counts named values, and the host's keys and tokens, among the secrets", () => {
    const { secrets } = Environment.make(host, ["MY_TOKEN"], { EXTRA: Redacted.make("one") })
    assert.deepStrictEqual(secrets, ["tok", "one"])
  })
})

describe("secrets of the host's own environment (promise 19)", () => {
  it("are also what proxies, headers and URLs hold", () => {
    const host = {
      HTTPS_PROXY: "http://user:hunter2@proxy:8080",
      ANTHROPIC_CUSTOM_HEADERS: "Authorization: Bearer abc",
      ANTHROPIC_BASE_URL: "https://gate:p%40ss@gateway.example",
    }
    const { secrets } = Environment.make(host, ["ANTHROPIC_*", ...Environment.proxies])
    for (const secret of ["hunter2", "Authorization: Bearer abc", "p@ss"]) assert.include(secrets, secret)
  })
})

describe("Redactor (promise 19)", () => {
  it("hides every secret, the longer of two first, and leaves short values alone", () => {
    const redact = Redactor.make(["secret", "secret-longer", "abc"])
    assert.strictEqual(redact("secret-longer secret abc"), "<redacted> <redacted> abc")
    assert.strictEqual(Redactor.make(['se"cret'])(JSON.stringify('a se"cret')), '"a <redacted>"')
  })

  it.each([
    ['{ "Authorization": "Bearer abc def" }', "abc"],
    ["Authorization: Bearer one-word", "one-word"],
    ["Authorization: Bearer $" + "{name}secret", "secret"],
    ["Authorization: secret $" + "{name} more", "secret"],
    ["Authorization: $" + '{name}"secret', "secret"],
    ["http://user:p&ss-secret@host", "secret"],
    ["https://bob:it's(secret)@db", "secret"],
  ])("hides the credential of %s", (text, credential) => {
    assert.notInclude(Redactor.withoutLooks(text), credential)
  })

  it("leaves the name of what a client fills in", () => {
    const text = '{ "Authorization": "Bearer $' + '{input:token}" }'
    assert.strictEqual(Redactor.withoutLooks(text), text)
  })
})

describe("StderrTail (promise 14)", () => {
  it("keeps the end, whole lines of it, without colours", () => {
    const tail = StderrTail.make((text) => text)
    for (let count = 0; count < 100_000; count++) tail.push(Buffer.from(`\u001b[31mline ${count}\u001b[0m\n`))
    const lines = tail.text().split("\n")
    assert.strictEqual(lines.at(-1), "line 99999")
    assert.match(lines[0] ?? "", /^line \d+$/)
    assert.isBelow(tail.text().length, StderrTail.capacity)
  })

  it("hides a secret that arrived in pieces", () => {
    const tail = StderrTail.make(Redactor.make(["sk-secret"]))
    tail.push(Buffer.from("key sk-"))
    tail.push(Buffer.from("secret!"))
    assert.strictEqual(tail.text(), "key <redacted>!")
  })
})
