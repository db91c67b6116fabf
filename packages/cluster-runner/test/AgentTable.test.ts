import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import * as ConfigurationCodec from "@zain/cluster-client/ConfigurationCodec"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { expect, it } from "vitest"
import type { RunnerAgent } from "../src/AgentTable.ts"
import * as OneProcess from "../testing/OneProcess.ts"

const opened = (options: object, more: Partial<RunnerAgent> = {}, config: object = {}) =>
  Effect.gen(function* () {
    const agent = OneProcess.scripted(({ content }) => Effect.succeed({ content }), more)
    const client = yield* (yield* OneProcess.start(agent)).client()
    const open = client.openSession({ ...ClusterMcpClient.config("scripted", { options: { ...options } }), ...config })
    const result = yield* Effect.result(open)
    return Result.isSuccess(result) ? agent.opened[0]?.providerOptions : result.failure
  }).pipe(Effect.scoped, Effect.runPromise)

const workspaces = { site: "/srv/site", app: "/srv/app" }
const invalid = { _tag: "InvalidRequest", reason: "invalid-config", delivery: "not-sent" }

it("a session works in the directory of the workspace that its caller names", async () => {
  expect(await opened({ cwd: "app" }, { workspaces })).toEqual({ cwd: "/srv/app" })
  expect(await opened({}, { workspaces: { site: "/srv/site" } })).toEqual({ cwd: "/srv/site" })
})

it.each([["/srv/app"], ["../app"], ["toString"], ["__proto__"], [""], [undefined], [7]])(
  "the workspace %j is `invalid-config`, and the message lists those of the runner",
  async (cwd) => {
    const error = await opened(cwd === undefined ? {} : { cwd }, { workspaces })
    expect(error).toMatchObject({ ...invalid, message: expect.stringContaining("site, app") })
  },
)

it("an option that a caller must not set is `invalid-config`, also where the runner sets it itself", async () => {
  expect(await opened({ mcpServers: { evil: { command: "sh" } } })).toMatchObject(invalid)
  expect(await opened({ model: "mine" }, { options: { model: "theirs" } })).toMatchObject(invalid)
  expect(await opened({}, { options: { sandbox: "read-only" } })).toEqual({ sandbox: "read-only" })
  expect(await opened({ sandbox: "read-only" }, { callerOptions: ["sandbox"] })).toEqual({ sandbox: "read-only" })
})

it.each([
  [{ serverUrl: "stdio:sh?arg=-c" }],
  [{ serverUrl: "stdio:%2Fbin%2Fsh" }],
  [{ serverUrl: "http://127.0.0.1:1/mcp", transport: "streamable-http" }],
  [{ serverUrl: "stdio:another" }],
  [{ env: { PATH: "/tmp" } }],
  [{ headers: { authorization: "Bearer secret" } }],
  [{ shared: true }],
])("the configuration %j of a caller is `invalid-config`", async (config) => {
  expect(await opened({}, {}, config)).toMatchObject(invalid)
})

it("an agent that the runners do not have is `invalid-config`, and the message lists theirs", () =>
  Effect.gen(function* () {
    const cluster = yield* OneProcess.start(OneProcess.scripted(({ content }) => Effect.succeed({ content })))
    const error = yield* Effect.flip(cluster.client({ provider: "codxe" }))
    expect(error).toMatchObject({ ...invalid, message: expect.stringContaining("scripted") })
  }).pipe(Effect.scoped, Effect.runPromise))

it("secrets and limits cross unchanged, and print as `<redacted>` on both sides (promise 19)", () => {
  const options = { servers: [{ token: Redacted.make("s3cret"), url: "https://a.example" }], limit: 3 }
  const given = ClusterMcpClient.config("scripted", { options, idleTimeout: "7 seconds", maxWaiting: 5 })
  const parsed = Result.getOrThrow(McpConnectionConfig.parse(given))
  const { agent, configuration } = Result.getOrThrow(ConfigurationCodec.encode(parsed))
  expect([agent, configuration.limits.idleTimeout, configuration.limits.maxWaiting]).toEqual(["scripted", 7000, 5])
  const decoded = ConfigurationCodec.decodeOptions(JSON.parse(JSON.stringify(configuration.options)))
  expect(decoded).toEqual(options)
  expect(JSON.stringify(decoded)).not.toContain("s3cret")
})
