/** Codex behind the agent server: the adapter's default. */
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inspect } from "node:util"
import { assert, describe, it, vi } from "@effect/vitest"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import * as InMemoryMcpClient from "@zain/core/InMemoryMcpClient"
import * as McpClient from "@zain/core/McpClient"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as StdioUrl from "@zain/core/StdioUrl"
import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber, Layer, Option, Redacted, Result } from "effect"
import * as OwnWire from "./OwnWire.ts"
import { invalidConfig, inWords } from "./Session.ts"

const client = Effect.fnUntraced(function* (options: CodexMcpClientAdapter.Options = {}, name = "zain-codex-mcp") {
  const wire = yield* OwnWire.named(name)
  return { wire, adapter: yield* CodexMcpClientAdapter.make({ connect: wire.connect, ...options }) }
})

const config = (providerOptions: object = {}) =>
  McpConnectionConfig.stdio({ command: "server-of-the-test", providerOptions: { ...providerOptions } })

describe("Codex behind the agent server (docs/concepts/sessions.md#provider-options)", () => {
  test("fails to open a session on this machine with invalid-config when `cwd` is no directory", function* () {
    const { adapter, wire } = yield* client()
    const open = (cwd: string, more: CodexTransportFactory.LocalOptions = {}) =>
      adapter.openSession(CodexTransportFactory.local({ ...more, options: { ...more.options, cwd } }))
    assert.include(yield* invalidConfig(open("/no/such/project")), "/no/such/project")
    assert.include(yield* invalidConfig(open("none", { cwd: tmpdir() })), join(tmpdir(), "none"))
    assert.include(yield* invalidConfig(open("/dev/null")), "/dev/null is not a directory.")
    assert.include(yield* invalidConfig(open("/dev/null/src")), "/dev/null is a file.")
    yield* open(".", { cwd: tmpdir() })
    yield* open(tmpdir())
    // A continued thread runs in its own directory.
    const resumed = yield* Effect.forkChild(open("/no/such/project", { options: { threadId: "one" } }))
    const { answer } = yield* wire.next
    answer({ content: [], structuredContent: { threadId: "one", content: "" } })
    yield* Fiber.join(resumed)
  })

  test("opens a session on another machine with a `cwd` that does not exist here", function* () {
    const { adapter } = yield* client()
    for (const command of ["ssh", "docker"])
      yield* adapter.openSession(
        McpConnectionConfig.stdio({
          command,
          args: ["elsewhere", "zain-codex-mcp"],
          providerOptions: { cwd: "/no/such/project" },
        }),
      )
  })

  test("is called with the names of the removed server's tools and arguments", function* () {
    const { adapter, wire } = yield* client({ options: { model: "small", approvalPolicy: "untrusted" } })
    const id = yield* adapter.openSession(
      config({
        model: "large",
        cwd: "/srv",
        sandbox: "workspace-write",
        baseInstructions: "base",
        developerInstructions: "developer",
        compactPrompt: "compact",
        config: { model_reasoning_effort: "high" },
        trustProject: true,
      }),
    )
    const turn = yield* Effect.forkChild(adapter.execute(id, { content: "go" }), { startImmediately: true })
    const call = yield* wire.next
    assert.strictEqual(call.name, "codex")
    assert.deepStrictEqual(call.arguments, {
      prompt: "go",
      model: "large",
      cwd: "/srv",
      sandbox: "workspace-write",
      "approval-policy": "untrusted",
      "base-instructions": "base",
      "developer-instructions": "developer",
      "compact-prompt": "compact",
      config: { model_reasoning_effort: "high" },
      "trust-project": true,
    })
    call.answer(OwnWire.answered("done"))
    assert.strictEqual((yield* Fiber.join(turn)).content, "done")
    yield* Effect.forkChild(adapter.execute(id, { content: "on" }), { startImmediately: true })
    assert.deepInclude(yield* wire.next, {
      name: "codex-reply",
      arguments: { threadId: "thread-1", prompt: "on" },
    })
  })

  test("receives options beside `threadId` with the prompts, and fails with invalid-config when one is refused", function* () {
    const { adapter, wire } = yield* client()
    const options = config({ threadId: "one", approvalPolicy: "never", baseInstructions: "x" })
    const beside = { threadId: "one", "approval-policy": "never", "base-instructions": "x" }
    const opening = yield* Effect.forkChild(adapter.openSession(options))
    const opened = yield* wire.next
    assert.deepInclude(opened, { name: "codex-reply", arguments: beside })
    opened.answer({ content: [], structuredContent: { threadId: "one", content: "" } })
    const id = yield* Fiber.join(opening)
    const turn = yield* Effect.forkChild(invalidConfig(adapter.execute(id, { content: "go" })), {
      startImmediately: true,
    })
    const call = yield* wire.next
    assert.deepInclude(call, { name: "codex-reply", arguments: { ...beside, prompt: "go" } })
    const data = { "zain/delivery": "not-sent", "zain/option": "base-instructions" }
    call.refuse({ code: -32_602, message: "`base-instructions` cannot be changed.", data })
    assert.include(yield* Fiber.join(turn), "`baseInstructions` cannot be changed.")
  })

  test.each([
    ["agent-server", { modle: "x" }, "modle"],
    ["agent-server", { approvalPolicy: "on-failure" }, "approvalPolicy"],
    ["agent-server", { sandbox: "none" }, "sandbox"],
    ["native", { modle: "x" }, "modle"],
    ["native", { model: "" }, "model"],
    ["native", { sandbox: "none" }, "sandbox"],
    ["native", { approvalPolicy: "untrusted" }, "approvalPolicy"],
    ["native", { threadId: "thread-1" }, "threadId"],
    ["native", { config: "model=x" }, "config"],
    ["native", { cwd: 7 }, "cwd"],
  ] as const)(
    "with the profile %s, fails with invalid-config for %j, names the path, and starts nothing",
    function* ([profile, options, path]) {
      const { adapter, wire } = yield* client({ profile })
      assert.include(yield* invalidConfig(adapter.openSession(config(options))), `\`${path}\``)
      assert.deepStrictEqual(wire.targets, [])
    },
  )

  test("and Codex's own MCP server are each refused by the other's profile, before anything starts or by the server's name", function* () {
    const { adapter, wire } = yield* client()
    yield* invalidConfig(adapter.openSession(CodexTransportFactory.native()))
    assert.deepStrictEqual(wire.targets, [])
    const other = yield* client({}, "codex-mcp-server")
    assert.include(yield* invalidConfig(other.adapter.openSession(config())), 'profile: "native"')
    const native = yield* client({ profile: "native" })
    assert.include(yield* invalidConfig(native.adapter.openSession(config())), "the default")
  })
})

const commandOf = ({ serverUrl }: McpConnectionConfig.McpConnectionConfig) =>
  StdioUrl.parse(serverUrl) ?? { command: "", args: [] }

describe("the agent server of this installation (docs/concepts/sessions.md#connections)", () => {
  it("is started with this Node, from the package beside this one, with the agent's command", () => {
    const local = CodexTransportFactory.local({
      command: "/opt/codex",
      cwd: "/srv",
      env: { MY_PROVIDER_KEY: "secret" },
      modelTimeout: "5 seconds",
      acceptTimeout: "6 seconds",
      approvalTimeout: "1 minute",
      options: { sandbox: "read-only" },
      idleTimeout: "10 minutes",
    })
    assert.isTrue(Result.isSuccess(McpConnectionConfig.parse(local)))
    const { args, command } = commandOf(local)
    assert.strictEqual(command, process.execPath)
    const at = args.indexOf("shared")
    assert.match(args[at - 1] ?? "", /codex-client\/(bin|src\/server)\/zain-codex-mcp\.[jt]s$/)
    assert.deepStrictEqual(args.slice(at), [
      ...["shared", "--command", "/opt/codex", "--env", "MY_PROVIDER_KEY"],
      ...["--model-timeout", "5000 millis", "--accept-timeout", "6000 millis", "--approval-timeout", "60000 millis"],
    ])
    assert.deepStrictEqual(local.providerOptions, { sandbox: "read-only" })
    assert.notInclude(local.serverUrl, "secret")
  })

  it("keeps the values of variables out of its arguments, and passes them when a session opens (promise 19)", () => {
    for (const make of [CodexTransportFactory.local, CodexTransportFactory.native]) {
      const config = make({ env: { MY_PROVIDER_KEY: "sk-secret-value" } })
      const shown = [JSON.stringify(config), inspect(config, { depth: 9, showHidden: true, customInspect: false })]
      assert.notInclude([...shown, inspect(config), `${config}`].join(), "sk-secret")
      assert.include(shown[0], "MY_PROVIDER_KEY")
      const { env } = Result.getOrThrow(McpConnectionConfig.parse(config))
      assert.deepStrictEqual(Object.values(env).map(Redacted.value), ["sk-secret-value"])
    }
  })

  it.each([
    [Duration.infinity, Number.POSITIVE_INFINITY],
    ["Infinity", Number.POSITIVE_INFINITY],
    [Number.MAX_VALUE, Number.POSITIVE_INFINITY],
    [1e21, Number.POSITIVE_INFINITY],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [Duration.minutes(2), 120_000],
    [1.5, 2],
    [Duration.nanos(5n), 1],
  ] as const)("receives a limit of %s on its command line in a form that it parses", (limit, millis) => {
    const { args } = commandOf(CodexTransportFactory.local({ modelTimeout: limit, approvalTimeout: limit }))
    for (const flag of ["--model-timeout", "--approval-timeout"]) {
      // The server's own parser.
      const read = Duration.fromInput(args[args.indexOf(flag) + 1] as Duration.Input)
      assert.deepStrictEqual(Option.map(read, Duration.toMillis), Option.some(millis))
    }
  })

  it("is started with the import conditions under which it was found", () => {
    const [before] = [process.execArgv]
    try {
      process.execArgv = ["--conditions=one", "-C", "two", "--conditions", "three", "--no-warnings"]
      const { args } = commandOf(CodexTransportFactory.local())
      assert.deepStrictEqual(args.slice(0, 3), ["--conditions=one", "--conditions=two", "--conditions=three"])
    } finally {
      process.execArgv = before
    }
  })

  test("is the program beside the bundle, else the package's, else the one on PATH; without any, spawn-failed names it", function* () {
    const elsewhere = yield* directory
    vi.stubEnv("PATH", elsewhere)
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
    const from = pathToFileURL(join(elsewhere, "bundle.js")).href
    const program = { program: "@zain/absent-client/zain-absent-mcp", agent: "codex", from }
    const installed = join(elsewhere, "node_modules/@zain/absent-client")
    mkdirSync(installed, { recursive: true })
    writeFileSync(join(installed, "package.json"), '{"exports":{"./zain-absent-mcp":"./own.js"}}')
    const beside = join(elsewhere, "zain-absent-mcp.js")
    for (const file of [beside, join(installed, "own.js")]) writeFileSync(file, "")
    const args = () => commandOf(AgentServerCommand.config(program, {}, undefined)).args
    assert.include(args(), beside)
    rmSync(beside)
    assert.include(args(), realpathSync(join(installed, "own.js")))
    rmSync(installed, { recursive: true })
    const local = AgentServerCommand.config(program, {}, undefined)
    assert.deepStrictEqual(commandOf(local), { command: "zain-absent-mcp", args: ["stdio", "--command", "codex"] })
    const adapter = yield* CodexMcpClientAdapter.make()
    const error = yield* Effect.flip(adapter.openSession(local))
    assert.strictEqual(inWords(error), "ConnectionUnavailable spawn-failed not-sent")
    assert.include(error.message, "zain-absent-mcp was not found")
  })

  test("is not shared by Codex's own server", function* () {
    const adapter = yield* CodexMcpClientAdapter.make({ profile: "native" })
    const config = { ...CodexTransportFactory.native(), shared: true }
    assert.include(yield* invalidConfig(adapter.openSession(config)), "`shared`")
  })

  it("is what `server` names: a file that Node runs, or a command", () => {
    const start = (server: string) => commandOf(CodexTransportFactory.local({ server }))
    assert.deepStrictEqual(start("zain.js").args.slice(-4), [
      join(process.cwd(), "zain.js"),
      "shared",
      "--command",
      "codex",
    ])
    assert.isTrue(CodexTransportFactory.local({ server: "zain.js" }).shared)
    const alone = CodexTransportFactory.local({ server: "zain.js", isolated: true })
    assert.deepStrictEqual([alone.shared, commandOf(alone).args.at(-3)], [undefined, "stdio"])
    assert.isUndefined(CodexTransportFactory.local({ server: "/opt/zain" }).shared)
    assert.deepStrictEqual(start("/opt/zain"), { command: "/opt/zain", args: ["stdio", "--command", "codex"] })
  })

  it.each([
    ["electron", process.execPath, "1"],
    ["bun", "node", undefined],
  ])("is started by a Node where the program runs in %s", (name, command, asNode) => {
    const { versions } = process
    Object.defineProperty(process, "versions", { value: { ...versions, [name]: "1.0" }, configurable: true })
    try {
      const config = CodexTransportFactory.local({ server: "/zain.js", env: { A: "b" } })
      assert.strictEqual(commandOf(config).command, command)
      const { env } = Result.getOrThrow(McpConnectionConfig.parse(config))
      assert.strictEqual(env["ELECTRON_RUN_AS_NODE"] && Redacted.value(env["ELECTRON_RUN_AS_NODE"]), asNode)
      assert.containsAllKeys(env, ["A"])
      assert.notInclude(commandOf(config).args, "ELECTRON_RUN_AS_NODE")
    } finally {
      Object.defineProperty(process, "versions", { value: versions, configurable: true })
    }
  })

  test("fails with spawn-failed in a bundle without it, and names `server`", function* () {
    vi.stubEnv("PATH", yield* directory)
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
    const program = { program: "@zain/absent-client/zain-codex-mcp", agent: "codex", from: undefined }
    const adapter = yield* CodexMcpClientAdapter.make()
    const error = yield* Effect.flip(adapter.openSession(AgentServerCommand.config(program, {}, undefined)))
    assert.strictEqual(inWords(error), "ConnectionUnavailable spawn-failed not-sent")
    assert.include(error.message, "pass the path of its file zain-codex-mcp.js as `server` of `local()`")
  })

  it("of another machine receives the token, which no text shows, and the limits of the connection", () => {
    for (const bearerToken of ["sesame-8271", Redacted.make("sesame-8271")]) {
      const given = CodexTransportFactory.http({
        url: "https://agents.example/mcp",
        bearerToken,
        headers: { "x-team": "docs" },
        idleTimeout: "10 minutes",
        options: { cwd: "/srv/project", sandbox: "workspace-write" },
      })
      const { headers, idleTimeout, providerOptions, serverUrl, transport } = Result.getOrThrow(
        McpConnectionConfig.parse(given),
      )
      assert.deepStrictEqual([transport, serverUrl], ["streamable-http", "https://agents.example/mcp"])
      assert.strictEqual(Redacted.value(headers["authorization"] ?? Redacted.make("")), "Bearer sesame-8271")
      assert.containsAllKeys(headers, ["x-team"])
      assert.strictEqual(Duration.toMinutes(idleTimeout), 10)
      assert.deepStrictEqual(providerOptions, { cwd: "/srv/project", sandbox: "workspace-write" })
      assert.notInclude(inspect(given, { depth: null }) + JSON.stringify(given), "sesame")
    }
  })

  it.effect("is available beside another provider's in one program, each as its own service", () =>
    Effect.gen(function* () {
      const codex = yield* CodexMcpClientAdapter.Codex
      const whichever = yield* McpClient.McpClient
      assert.strictEqual(codex.provider, "codex")
      assert.notStrictEqual<unknown>(whichever, codex)
      assert.strictEqual(yield* whichever.openSession(InMemoryMcpClient.config).pipe(Effect.map((id) => id.length)), 36)
    }).pipe(Effect.provide(Layer.merge(CodexMcpClientAdapter.Codex.layer(), InMemoryMcpClient.layer()))),
  )

  test.live(
    "fails with spawn-failed when Codex is missing, and names the command that installs it first (seed 2.3)",
    function* () {
      const adapter = yield* CodexMcpClientAdapter.make()
      const error = yield* Effect.flip(adapter.openSession(CodexTransportFactory.local({ env: { PATH: "/nowhere" } })))
      assert.strictEqual(inWords(error), "ConnectionUnavailable spawn-failed not-sent")
      assert.match(
        error.message,
        /^The program codex was not found on PATH \(\S*\)\. Install it with "npm install --global @openai\/codex"/,
      )
    },
  )
})
