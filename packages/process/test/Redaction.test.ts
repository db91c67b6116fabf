import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Environment from "../src/Environment.ts"
import * as Redactor from "../src/Redactor.ts"
import * as StderrTail from "../src/StderrTail.ts"

describe("Environment.make (promise 18)", () => {
  const host = {
    PATH: "/bin",
    HOME: "/home/x",
    LC_ALL: "C",
    AWS_SECRET_ACCESS_KEY: "aws",
    CODEX_HOME: "/c",
    MY_TOKEN: "tok",
  }

  it("passes on the usual, the allowed and the given variables only", () => {
    const { env } = Environment.make(host, ["CODEX_*"], { EXTRA: Redacted.make("1") })
    assert.deepStrictEqual(env, { PATH: "/bin", HOME: "/home/x", LC_ALL: "C", CODEX_HOME: "/c", EXTRA: "1" })
  })

  it("returns given values and the host's keys and tokens as secrets", () => {
    const { secrets } = Environment.make(host, ["MY_TOKEN"], { EXTRA: Redacted.make("one") })
    assert.deepStrictEqual(secrets, ["tok", "one"])
  })
})

describe("the secrets of an environment (promise 19)", () => {
  it("include the credentials in proxies, headers and URLs", () => {
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
  it("replaces every secret, longer ones first, and ignores values of less than 4 characters", () => {
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
  ])("removes the credential from %s", (text, credential) => {
    assert.notInclude(Redactor.withoutLooks(text), credential)
  })

  it("keeps the placeholder that a client fills in", () => {
    const text = '{ "Authorization": "Bearer $' + '{input:token}" }'
    assert.strictEqual(Redactor.withoutLooks(text), text)
  })
})

describe("StderrTail (promise 14)", () => {
  it("returns whole lines from the end, without colours", () => {
    const tail = StderrTail.make((text) => text)
    for (let count = 0; count < 100_000; count++) tail.push(Buffer.from(`\u001b[31mline ${count}\u001b[0m\n`))
    const lines = tail.text().split("\n")
    assert.strictEqual(lines.at(-1), "line 99999")
    assert.match(lines[0] ?? "", /^line \d+$/)
    assert.isBelow(tail.text().length, StderrTail.capacity)
  })

  it("redacts a secret that arrived in two chunks", () => {
    const tail = StderrTail.make(Redactor.make(["sk-secret"]))
    tail.push(Buffer.from("key sk-"))
    tail.push(Buffer.from("secret!"))
    assert.strictEqual(tail.text(), "key <redacted>!")
  })
})
