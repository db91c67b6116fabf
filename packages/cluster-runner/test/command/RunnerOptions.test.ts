/** The command line of `zain-runner`. */
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as RunnerOptions from "../../src/command/RunnerOptions.ts"

const env = { ZAIN_DATABASE_URL: "postgres://zain:hunter2@db.internal/zain" }
const parsed = (line: string, variables: object = env) =>
  RunnerOptions.parse(line === "" ? [] : line.split(" "), variables as typeof env)
const problem = (line: string, variables: object = env) =>
  Result.match(parsed(line, variables), { onSuccess: () => assert.fail("it was accepted"), onFailure: (text) => text })

const tls = "--tls-cert c --tls-key k --tls-ca a"

describe("RunnerOptions.parse", () => {
  it("listens on loopback by default, for one group, and keeps the URL of the database out of sight", () => {
    const line = Result.getOrThrow(parsed("--agents a.json"))
    if (typeof line === "string" || line._tag !== "Serve") return assert.fail()
    const address = { host: "127.0.0.1", port: 8930 }
    assert.deepStrictEqual([line.values.listen, line.advertise, line.groups], [address, address, ["default"]])
    assert.deepStrictEqual(
      [line.tls, line.values["max-sessions"], Duration.format(line.values.drain)],
      [undefined, 64, "1m"],
    )
    assert.notInclude(JSON.stringify(line), "hunter2")
    assert.strictEqual(Redacted.value(line.database), env.ZAIN_DATABASE_URL)
  })

  it("listens beyond loopback with TLS, and advertises another address", () => {
    const line = Result.getOrThrow(
      parsed(`--agents a.json --listen 0.0.0.0:9000 --advertise node7:9001 --group gpu --group eu --drain 10m ${tls}`),
    )
    if (typeof line === "string" || line._tag !== "Serve") return assert.fail()
    assert.deepStrictEqual(line.advertise, { host: "node7", port: 9001 })
    assert.deepStrictEqual([line.groups, line.tls], [["gpu", "eu"], { cert: "c", key: "k", ca: "a" }])
  })

  it("reads status, help and version", () => {
    const line = Result.getOrThrow(parsed("status --json"))
    assert.deepInclude(line, { _tag: "Status", json: true })
    assert.deepStrictEqual([parsed("status --help", {}), parsed("-v", {})].map(Result.getOrThrow), ["help", "version"])
  })

  it.each([
    ["", {}, /ZAIN_DATABASE_URL is not set/],
    ["", { ZAIN_DATABASE_URL: "mysql://zain:hunter2@db/zain" }, /is not a URL of PostgreSQL/],
    ["", env, /--agents FILE is missing/],
    ["--agents a --listen 0.0.0.0:8930", env, /open to other machines.*pass --tls-cert, --tls-key and --tls-ca, or/],
    ["--agents a --listen 10.0.0.7:8930", env, /open to other machines/],
    ["--agents a --listen [::]:8930", env, /open to other machines/],
    ["--agents a --listen 127.0.0.1.nip.io:8930", env, /open to other machines/],
    ["--agents a --tls-cert c --tls-key k", env, /belong together/],
    ["--agents a --listen 10.0.0.7:8930 --tls-ca a", env, /belong together/],
    [`--agents a --listen 0.0.0.0:8930 ${tls}`, env, /0\.0\.0\.0 is no address that other nodes can reach/],
    ["--agents a --listen 8930", env, /--listen takes HOST:PORT/],
    ["--agents a --listen 127.0.0.1:0", env, /--listen takes HOST:PORT/],
    ["--agents a --group a/b", env, /--group takes 1 to 32 letters/],
    ["--agents a --locks advisory --group gpu", env, /is for clusters without groups/],
    ["--agents a --max-sessions 0", env, /--max-sessions takes a whole number/],
    ["--agents a --drain never", env, /--drain takes a duration/],
    ["--agents a --database postgres://x", env, /--database/],
    ["stauts", env, /Unexpected argument "stauts"/],
  ] as const)("refuses %s with what to do", (line, variables, expected) => {
    assert.match(problem(line, variables), expected)
    assert.notInclude(problem(line, variables), "hunter2")
  })
})
