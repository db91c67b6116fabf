import { assert, describe, it } from "@effect/vitest"
import * as Stable from "@opentelemetry/semantic-conventions"
import * as Incubating from "@opentelemetry/semantic-conventions/incubating"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import * as Effect from "effect/Effect"
import { type AgentName, type Place, place } from "../src/AgentServers.ts"
import * as Collector from "../src/Collector.ts"
import * as OwnClient from "../src/OwnClient.ts"
import { binaries } from "../src/RealAgents.ts"
import { faces } from "../src/TelemetryFaces.ts"
import { layers } from "../src/TelemetryLayers.ts"
import * as Wishes from "../src/Wishes.ts"

const vendors = {
  codex: Incubating.GEN_AI_PROVIDER_NAME_VALUE_OPENAI,
  "claude-code": Incubating.GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC,
}

/** The numbers of OTLP. */
const kinds = { internal: 1, client: 3 }
const statuses = { ok: 1, error: 2 }

const agentOf = (agent: AgentName) => ({
  [Incubating.ATTR_GEN_AI_PROVIDER_NAME]: vendors[agent],
  [Incubating.ATTR_GEN_AI_AGENT_NAME]: agent,
})

const turnOf = (agent: AgentName) => ({
  [Incubating.ATTR_GEN_AI_OPERATION_NAME]: Incubating.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  ...agentOf(agent),
})

const answer = "an answer for nobody else"

/** A turn that succeeds, and one in which the model fails. */
const prompts = () => [
  Wishes.prompt({ _tag: "Say", text: answer }).text,
  Wishes.prompt({ _tag: "Break", how: 403 }).text,
]

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

const adapters = (agent: AgentName) => OwnClient.adapter(agent)

const each = [
  { agent: "codex", face: "Effect", by: "effect" },
  { agent: "codex", face: "Promise", by: "official" },
  { agent: "claude-code", face: "Effect", by: "official" },
  { agent: "claude-code", face: "Promise", by: "effect" },
] as const

const names = { effect: "Effect's own exporters", official: "the official SDK" }

describe.each(each)(`a real $agent, seen by a collector (issue 6, part 7)`, ({ agent, by, face }) => {
  it.live(`through ${face} and ${names[by]}: spans, metrics, and nothing of what was said`, () =>
    Effect.gen(function* () {
      const collector = yield* Collector.make
      const home: Place = yield* place(agent)
      const asked = prompts()
      yield* faces[face](adapters(agent), OwnClient.config(home, { front: "stdio" }), asked, layers[by](collector.url))
      const spans = collector.spans()
      const named = (name: string) => spans.filter((span) => span.name === name)
      const [open] = named(Incubating.MCP_METHOD_NAME_VALUE_INITIALIZE)
      const [first, second] = named(`invoke_agent ${agent}`)
      const [close] = named(`close_session ${agent}`)
      assert.lengthOf(spans, face === "Effect" ? 5 : 4)

      const session = open?.attributes["zain.session.id"]
      assert.isTrue(isText(session))
      const shared = {
        ...agentOf(agent),
        [Stable.ATTR_NETWORK_TRANSPORT]: Stable.NETWORK_TRANSPORT_VALUE_PIPE,
        [Incubating.ATTR_MCP_PROTOCOL_VERSION]: "2025-11-25",
        "zain.session.id": session,
      }
      assert.deepInclude(open, {
        kind: kinds.client,
        status: statuses.ok,
        attributes: {
          [Incubating.ATTR_MCP_METHOD_NAME]: Incubating.MCP_METHOD_NAME_VALUE_INITIALIZE,
          ...shared,
        },
      })
      assert.deepInclude(close, { kind: kinds.internal, status: statuses.ok, attributes: shared })

      const {
        [Incubating.ATTR_GEN_AI_CONVERSATION_ID]: conversation,
        [Incubating.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: input,
        [Incubating.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: output,
        [Incubating.ATTR_JSONRPC_REQUEST_ID]: request,
        ...rest
      } = first?.attributes ?? {}
      assert.isTrue(isText(conversation))
      assert.isTrue(isText(request))
      assert.isAbove(Number(input), 0)
      assert.isAbove(Number(output), 0)
      const call = {
        ...turnOf(agent),
        ...shared,
        [Incubating.ATTR_MCP_METHOD_NAME]: Incubating.MCP_METHOD_NAME_VALUE_TOOLS_CALL,
      }
      assert.deepStrictEqual(rest, { ...call, [Incubating.ATTR_GEN_AI_TOOL_NAME]: agent, "zain.turn": 1 })
      assert.deepInclude(first, { kind: kinds.client, status: statuses.ok })

      assert.deepInclude(second, { kind: kinds.client, status: statuses.error })
      assert.deepInclude(second?.attributes, {
        ...call,
        [Incubating.ATTR_GEN_AI_TOOL_NAME]: `${agent}-reply`,
        [Stable.ATTR_ERROR_TYPE]: "tool_error",
        "zain.turn": 2,
      })

      const [caller] = named("caller")
      for (const span of [open, first, second, close]) assert.strictEqual(span?.parentSpanId, caller?.spanId)
      assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, face === "Effect" ? 1 : 4)

      const points = collector.points()
      const point = (name: string, attributes: Readonly<Record<string, unknown>>) =>
        points.find(
          (point) =>
            point.name === name && Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
        )
      const turns = points.filter(({ name }) => name === Incubating.METRIC_GEN_AI_CLIENT_OPERATION_DURATION)
      assert.deepStrictEqual(
        turns.map(({ attributes, count, unit }) => [attributes[Stable.ATTR_ERROR_TYPE], count, unit]),
        [
          [undefined, 1, "s"],
          ["tool_error", 1, "s"],
        ],
      )
      assert.strictEqual(turns[0]?.bounds?.at(-1), 81.92)
      for (const { attributes } of turns) assert.deepInclude(attributes, turnOf(agent))
      const ofInput = {
        ...turnOf(agent),
        [Incubating.ATTR_GEN_AI_TOKEN_TYPE]: Incubating.GEN_AI_TOKEN_TYPE_VALUE_INPUT,
      }
      const tokens = point(Incubating.METRIC_GEN_AI_CLIENT_TOKEN_USAGE, ofInput)
      assert.deepInclude(tokens, { type: "histogram", unit: "{token}" })
      assert.isAtLeast(tokens?.value ?? 0, Number(input))
      const ofOutput = { [Incubating.ATTR_GEN_AI_TOKEN_TYPE]: Incubating.GEN_AI_TOKEN_TYPE_VALUE_OUTPUT }
      assert.isAtLeast(point(Incubating.METRIC_GEN_AI_CLIENT_TOKEN_USAGE, ofOutput)?.value ?? 0, Number(output))
      assert.deepInclude(point(Incubating.METRIC_MCP_CLIENT_SESSION_DURATION, agentOf(agent)), { count: 1, unit: "s" })
      assert.deepInclude(point("zain.client.session.count", agentOf(agent)), {
        type: "sum",
        value: 0,
        unit: "{session}",
      })
      assert.deepInclude(
        point("zain.client.errors", { "zain.operation": "execute", [Stable.ATTR_ERROR_TYPE]: "tool_error" }),
        { type: "sum", value: 1, unit: "{error}" },
      )

      const { args, command, env } = home.command("stdio")
      const said = [...asked, answer, command, ...args, ...Object.values(env)].filter((text) => text.length > 8)
      assert.isAbove(said.length, 4)
      for (const text of said) assert.notInclude(collector.raw(), text ?? "")
    }),
  )
})

describe("an agent server over HTTP (MCP conventions)", () => {
  it.live("is named by its address and port", () =>
    Effect.gen(function* () {
      const collector = yield* Collector.make
      const home = yield* place("codex")
      const { url } = yield* home.serve("http")
      const config = OwnClient.config(home, { front: "http", url })
      yield* faces.Promise(adapters("codex"), config, prompts().slice(0, 1), layers.effect(collector.url))
      const spans = collector.spans()
      assert.lengthOf(spans, 3)
      for (const { attributes } of spans) {
        assert.deepInclude(attributes, {
          [Stable.ATTR_NETWORK_TRANSPORT]: Stable.NETWORK_TRANSPORT_VALUE_TCP,
          [Stable.ATTR_NETWORK_PROTOCOL_NAME]: "http",
          [Stable.ATTR_SERVER_ADDRESS]: "127.0.0.1",
          [Stable.ATTR_SERVER_PORT]: Number(new URL(url).port),
        })
      }
    }),
  )
})

describe("the agents' own MCP servers take a trace in `_meta` (MCP, SEP-414: unknown keys do no harm)", () => {
  const natives = [
    {
      agent: "codex",
      adapter: CodexMcpClientAdapter.make({ profile: "native" }),
      config: ({ directory: cwd, env }: Place) =>
        CodexTransportFactory.native({ cwd, env, command: binaries.codexNative }),
    },
    {
      agent: "claude-code",
      adapter: ClaudeCodeMcpClientAdapter.make({ profile: "native" }),
      config: ({ directory: cwd, env }: Place) =>
        ClaudeCodeTransportFactory.native({ cwd, env, command: binaries.claudeCode }),
    },
  ] as const
  it.live.each(natives)("$agent", ({ adapter, agent, config }) =>
    Effect.gen(function* () {
      const collector = yield* Collector.make
      const home = yield* place(agent)
      yield* faces.Effect(adapter, config(home), prompts().slice(0, 1), layers.effect(collector.url))
      assert.deepStrictEqual(
        collector.spans().map(({ name, status }) => [name, status]),
        ["initialize", `invoke_agent ${agent}`, `close_session ${agent}`, "caller"].map((name) => [name, statuses.ok]),
      )
    }),
  )
})
