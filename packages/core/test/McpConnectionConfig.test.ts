import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { McpConnectionConfig, type Secret } from "@zain/core"
import { Duration, Equal, Redacted, Result } from "effect"
import fc from "fast-check"

const parsed = (input: unknown) => Result.getOrThrow(McpConnectionConfig.parse(input))

const refused = (input: unknown) => {
  const result = McpConnectionConfig.parse(input)
  if (Result.isSuccess(result)) return assert.fail("it was accepted")
  assert.strictEqual(result.failure.reason, "invalid-config")
  assert.strictEqual(result.failure.delivery, "not-sent")
  return result.failure
}

const secret = "sk-do-not-show-me"

/** A value in every form in which it may be shown or logged. */
const shown = (value: unknown) =>
  [
    JSON.stringify(value),
    String(value),
    inspect(value, { depth: 10, showHidden: true }),
    inspect(value, { depth: 10, customInspect: false }),
    value instanceof Error ? `${value.message}${value.stack}${inspect(value.cause)}` : "",
  ].join("\n")

const all = {
  stdio: McpConnectionConfig.stdio({ command: "codex", args: ["mcp-server"], env: { API_KEY: secret } }),
  "streamable-http": McpConnectionConfig.streamableHttp({
    url: new URL("https://agents.example/mcp"),
    headers: { Authorization: Redacted.make(secret) },
    tls: { cert: "the certificate", key: secret },
  }),
  sse: McpConnectionConfig.sse({ url: "http://127.0.0.1:3001/sse", headers: { Authorization: secret } }),
}

describe("McpConnectionConfig (seed 2.1, 3.1)", () => {
  it.each([
    ["stdio", "stdio:codex?arg=mcp-server"],
    ["streamable-http", "https://agents.example/mcp"],
    ["sse", "http://127.0.0.1:3001/sse"],
  ] as const)("requires only serverUrl and transport for %s", (transport, serverUrl) => {
    const config = parsed({ serverUrl, transport })
    assert.deepStrictEqual([config.serverUrl, config.transport], [serverUrl, transport])
    assert.deepStrictEqual([config.env, config.headers, config.providerOptions], [{}, {}, {}])
  })

  it("has the default limits (docs/concepts/sessions.md#limits)", () => {
    const { closeGrace, connectTimeout, idleTimeout, maxMessageBytes, maxWaiting } = parsed(all.stdio)
    assert.deepStrictEqual([connectTimeout, idleTimeout, closeGrace].map(Duration.toMillis), [30_000, 300_000, 2_000])
    assert.deepStrictEqual([maxMessageBytes, maxWaiting], [64 * 1024 * 1024, 1_024])
    const { maxEventBytes, maxMessageDepth, maxMessageElements } = parsed(all.stdio)
    assert.deepStrictEqual([maxMessageDepth, maxMessageElements, maxEventBytes], [1_000, 1_000_000, 32 * 1024 * 1024])
  })

  it.each(Object.entries(all))(
    "parses a parsed configuration to itself: %s (docs/concepts/sessions.md#connections)",
    (_, config) => {
      const given = { ...config, providerOptions: { model: "x", deep: { list: [1] } }, idleTimeout: "7 seconds" }
      const once = parsed(given)
      const twice = parsed(once)
      assert.deepStrictEqual(Object.keys(twice).sort(), Object.keys(once).sort())
      for (const key of Object.keys(once) as ReadonlyArray<keyof typeof once>) {
        assert.isTrue(Equal.equals(once[key], twice[key]), key)
      }
    },
  )
})

describe("secrets of a configuration (promise 19)", () => {
  it.each(Object.entries(all))("are hidden after parse: %s", (_, config) => {
    const { env, headers } = parsed(config)
    assert.strictEqual(Object.keys({ ...env, ...headers }).length, 1)
    assert.notInclude(shown(parsed(config)), secret)
  })

  it("are hidden in every constructor's result, under any name", () => {
    const secrets = fc.dictionary(fc.string(), fc.constantFrom(secret, Redacted.make(secret)), { minKeys: 1 })
    const { sse, stdio, streamableHttp } = McpConnectionConfig
    const url = "https://agents.example/mcp"
    fc.assert(
      fc.property(secrets, (given) => {
        const configs = [
          stdio({ command: "codex", env: given }),
          streamableHttp({ url, headers: given, tls: { cert: "the certificate", key: secret } }),
          sse({ url, headers: given, bearerToken: secret }),
        ]
        for (const config of configs) {
          assert.notInclude(shown(config), secret)
          const { env, headers } = parsed(config)
          const names = Object.keys(config.env ?? config.headers ?? {})
          assert.includeMembers(names, Object.keys(given))
          for (const name of Object.keys(given)) {
            const value = { ...env, ...headers }[name] as Redacted.Redacted<string>
            assert.include(Redacted.value(value), secret)
          }
        }
      }),
    )
  })

  it("are compared by value, and are accepted by a constructor again", () => {
    const make = (value: Secret) => McpConnectionConfig.stdio({ command: "a", env: { KEY: value } })
    const [one, two, other] = [make("1"), make(Redacted.make("1")), make("2")]
    assert.isTrue(Equal.equals(one, two))
    assert.isFalse(Equal.equals(one, other))
    assert.isTrue(Equal.equals(McpConnectionConfig.stdio({ command: "a", env: { ...one.env } }), one))
  })

  it.each([7, null, undefined, "KEY=1", ["KEY=1"], { KEY: 7 }, { KEY: undefined }, { KEY: { nested: secret } }])(
    "of a wrong type, %j, are rejected by `parse`, and no constructor throws (seed 1.4)",
    (wrong) => {
      const given = wrong as never
      const url = "https://agents.example/mcp"
      const stdio = McpConnectionConfig.stdio({ command: "codex", env: given })
      if (wrong !== undefined) assert.include(refused(stdio).message, "`env")
      for (const make of [McpConnectionConfig.sse, McpConnectionConfig.streamableHttp]) {
        const config = make({ url, headers: given })
        if (wrong !== undefined) assert.include(refused(config).message, "`headers")
        if (wrong !== undefined)
          assert.include(refused(make({ url, headers: given, bearerToken: "x" })).message, "`headers")
      }
    },
  )

  it("are in no message, wherever the invalid value is", () => {
    const { serverUrl: _, transport: __, ...rest } = parsed(all.stdio)
    const settings = Object.keys(rest)
    assert.includeMembers(settings, ["env", "headers", "providerOptions", "closeGrace"])
    const wrong = fc.oneof(
      fc.record({ serverUrl: fc.constant(secret), transport: fc.constantFrom("stdio", "sse", "streamable-http") }),
      fc.record({ serverUrl: fc.constant("stdio:codex"), transport: fc.constant(secret) }),
      fc.constantFrom(...settings).map((key) => ({ ...all.stdio, [key]: secret })),
      fc
        .constantFrom("env", "headers")
        .map((key) => ({ ...all.stdio, [key]: { GOOD: "good", BAD: { nested: secret } } })),
      fc.constant({ ...all.stdio, unknown: secret }),
      fc.constant({ ...all.sse, serverUrl: `ftp://user:${secret}@agents.example` }),
      fc.constant(secret),
    )
    fc.assert(
      fc.property(wrong, (config) => {
        assert.notInclude(shown(refused(config)), secret)
      }),
    )
  })
})

describe("an invalid configuration", () => {
  const cases: ReadonlyArray<readonly [unknown, string]> = [
    [undefined, "the value"],
    [null, "the value"],
    ["stdio:codex", "the value"],
    [{}, "`serverUrl` is missing"],
    [{ serverUrl: 7, transport: "stdio" }, "`serverUrl`"],
    [{ serverUrl: "stdio:codex", transport: "sse" }, "http or https"],
    [{ serverUrl: "file:///mcp", transport: "streamable-http" }, "http or https"],
    [{ serverUrl: "https://user:word@agents.example", transport: "sse" }, "Give them in `headers`"],
    [{ ...all.stdio, env: { API_KEY: 7 } }, "`env.API_KEY`"],
    [{ ...all.stdio, tls: { ca: "a" } }, "`tls` is for connections over https; a stdio server has none"],
    [{ ...all.sse, tls: { ca: "a" } }, "`tls` needs an https URL"],
    [{ ...all["streamable-http"], tls: { cert: "a" } }, "both `tls.cert` and `tls.key`"],
    [{ ...all["streamable-http"], tls: { key: "a" } }, "both `tls.cert` and `tls.key`"],
    [{ ...all["streamable-http"], tls: { ca: "" } }, "`tls.ca`"],
    [{ ...all["streamable-http"], tls: { rejectUnauthorized: false } }, "`tls.rejectUnauthorized` is not known here"],
    [{ ...all.sse, headers: { "X-Key": null } }, "`headers.X-Key`"],
    [{ ...all.stdio, env: ["API_KEY=x"] }, "`env`"],
    [{ ...all.stdio, providerOptions: "model" }, "`providerOptions`"],
    [{ ...all.stdio, idleTimeout: 0 }, "`idleTimeout`"],
    [{ ...all.stdio, connectTimeout: null }, "`connectTimeout`"],
    [{ ...all.stdio, maxMessageBytes: Number.POSITIVE_INFINITY }, "`maxMessageBytes`"],
    [{ ...all.stdio, maxMessageDepth: 0 }, "`maxMessageDepth`"],
    [{ ...all.sse, maxMessageElements: 1.5 }, "`maxMessageElements`"],
    [{ ...all.stdio, maxEventBytes: -1 }, "`maxEventBytes`"],
    [{ ...all.stdio, maxWaiting: 0 }, "`maxWaiting`"],
    [{ ...all.stdio, maxWaiting: Number.POSITIVE_INFINITY }, "`maxWaiting`"],
    [McpConnectionConfig.stdio({ command: "my\0agent" }), "`command` holds a NUL character"],
    [McpConnectionConfig.stdio({ command: "my-agent", args: ["one", "\0"], cwd: "/srv" }), "`args` holds a NUL"],
    [McpConnectionConfig.stdio({ command: "my-agent", args: ["one"], cwd: "/srv\0" }), "`cwd` holds a NUL"],
    [McpConnectionConfig.stdio({ command: "my-agent", env: { API_KEY: "\0" } }), "`env.API_KEY` holds a NUL"],
  ]

  it.each(cases)("fails with invalid-config, and the message names the path: %j", (config, named) => {
    assert.include(refused(config).message, named)
  })
})
