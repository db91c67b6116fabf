import { assert, describe } from "@effect/vitest"
import { SpanKind, SpanStatusCode } from "@opentelemetry/api"
import { DataPointType, type Histogram } from "@opentelemetry/sdk-metrics"
import * as Stable from "@opentelemetry/semantic-conventions"
import * as Incubating from "@opentelemetry/semantic-conventions/incubating"
import { test } from "@zain/testkit/Test"
import { agents, type Place, place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Telemetry from "../src/Telemetry.ts"
import { faces } from "../src/TelemetryFaces.ts"
import * as Wishes from "../src/Wishes.ts"

const vendors = {
  codex: Incubating.GEN_AI_PROVIDER_NAME_VALUE_OPENAI,
  "claude-code": Incubating.GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC,
}

const answer = "an answer that is private"

/** A turn that succeeds, and one in which the model fails. */
const prompts = () => [
  Wishes.prompt({ _tag: "Say", text: answer }).text,
  Wishes.prompt({ _tag: "Break", how: 403 }).text,
]

const each = [
  { agent: "codex", face: "Effect" },
  { agent: "claude-code", face: "Promise" },
] as const

describe.each(each)(
  "the official SDK of OpenTelemetry receives of a real $agent (docs/guides/observe.md)",
  ({ agent, face }) => {
    test.live(`through ${face} spans and metrics, and no text of the conversation`, function* () {
      const { everything, layer, metrics, spans } = Telemetry.make()
      const home: Place = yield* place(agent)
      const asked = prompts()
      yield* faces[face](OwnClient.adapter(agent), OwnClient.config(home), asked, layer)
      const { CLIENT, INTERNAL } = SpanKind
      const { ERROR, OK } = SpanStatusCode
      assert.sameDeepMembers(
        spans.map(({ kind, name, status }) => [name, kind, status.code]),
        [
          [Incubating.MCP_METHOD_NAME_VALUE_INITIALIZE, CLIENT, OK],
          [`invoke_agent ${agent}`, CLIENT, OK],
          [`invoke_agent ${agent}`, CLIENT, ERROR],
          [`close_session ${agent}`, INTERNAL, OK],
          ...(face === "Effect" ? [["caller", INTERNAL, OK]] : []),
        ],
      )
      assert.strictEqual(new Set(spans.map((span) => span.spanContext().traceId)).size, face === "Effect" ? 1 : 4)
      const [first, second] = spans.filter(({ name }) => name === `invoke_agent ${agent}`)
      const turn = {
        [Incubating.ATTR_GEN_AI_OPERATION_NAME]: Incubating.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
        [Incubating.ATTR_GEN_AI_PROVIDER_NAME]: vendors[agent],
        [Incubating.ATTR_GEN_AI_AGENT_NAME]: agent,
      }
      const call = {
        ...turn,
        [Stable.ATTR_NETWORK_TRANSPORT]: Stable.NETWORK_TRANSPORT_VALUE_PIPE,
        [Incubating.ATTR_MCP_PROTOCOL_VERSION]: "2025-11-25",
        [Incubating.ATTR_MCP_METHOD_NAME]: Incubating.MCP_METHOD_NAME_VALUE_TOOLS_CALL,
      }
      assert.deepInclude(first?.attributes, { ...call, [Incubating.ATTR_GEN_AI_TOOL_NAME]: agent })
      assert.match(String(first?.attributes[Incubating.ATTR_GEN_AI_CONVERSATION_ID]), /^[\w-]{36}$/)
      const tokens = [
        Number(first?.attributes[Incubating.ATTR_GEN_AI_USAGE_INPUT_TOKENS]),
        Number(first?.attributes[Incubating.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]),
      ]
      for (const count of tokens) assert.isAbove(count, 0)
      assert.deepInclude(second?.attributes, {
        ...call,
        [Incubating.ATTR_GEN_AI_TOOL_NAME]: `${agent}-reply`,
        [Stable.ATTR_ERROR_TYPE]: "tool_error",
      })

      const points = metrics().flatMap(({ dataPoints, dataPointType, descriptor: { name, unit } }) =>
        dataPoints.map(({ attributes, value }) => ({ attributes, name, type: dataPointType, unit, value })),
      )
      const { HISTOGRAM, SUM } = DataPointType
      assert.sameDeepMembers(
        points.map(({ attributes, name, type, unit }) => [name, type, unit, attributes[Stable.ATTR_ERROR_TYPE]]),
        [
          ["zain.client.session.count", SUM, "{session}", undefined],
          ["zain.client.errors", SUM, "{error}", "tool_error"],
          [Incubating.METRIC_MCP_CLIENT_SESSION_DURATION, HISTOGRAM, "s", undefined],
          [Incubating.METRIC_MCP_CLIENT_OPERATION_DURATION, HISTOGRAM, "s", undefined],
          [Incubating.METRIC_MCP_CLIENT_OPERATION_DURATION, HISTOGRAM, "s", undefined],
          [Incubating.METRIC_MCP_CLIENT_OPERATION_DURATION, HISTOGRAM, "s", "tool_error"],
          [Incubating.METRIC_GEN_AI_CLIENT_OPERATION_DURATION, HISTOGRAM, "s", undefined],
          [Incubating.METRIC_GEN_AI_CLIENT_OPERATION_DURATION, HISTOGRAM, "s", "tool_error"],
          [Incubating.METRIC_GEN_AI_CLIENT_TOKEN_USAGE, HISTOGRAM, "{token}", undefined],
          [Incubating.METRIC_GEN_AI_CLIENT_TOKEN_USAGE, HISTOGRAM, "{token}", undefined],
        ],
      )
      const turns = points.filter(({ name }) => name === Incubating.METRIC_GEN_AI_CLIENT_OPERATION_DURATION)
      for (const { attributes, value } of turns) {
        assert.deepInclude(attributes, turn)
        const { buckets, count } = value as Histogram
        assert.deepStrictEqual([count, buckets.boundaries.at(-1)], [1, 81.92])
      }
      const used = points.filter(({ name }) => name === Incubating.METRIC_GEN_AI_CLIENT_TOKEN_USAGE)
      for (const [at, { value }] of used.entries()) assert.isAtLeast((value as Histogram).sum ?? 0, tokens[at] ?? 0)

      const { args, command, env } = home.command("stdio")
      const said = [...asked, answer, command, ...args, ...Object.values(env)].filter((text) => text.length > 8)
      assert.isAbove(said.length, 4)
      for (const text of said) assert.notInclude(everything(), text ?? "")
    })
  },
)

describe("an agent's own MCP server accepts a trace in `_meta` (MCP, SEP-414: unknown keys do no harm):", () => {
  test.live.each(agents)("%s", function* (agent) {
    const { layer, spans } = Telemetry.make()
    const home = yield* place(agent)
    const adapter = OwnClient.adapter(agent, undefined, "native")
    yield* faces.Effect(adapter, OwnClient.native[agent](home), prompts().slice(0, 1), layer)
    assert.deepStrictEqual(
      spans.map(({ name, status: { code } }) => [name, code]),
      ["initialize", `invoke_agent ${agent}`, `close_session ${agent}`, "caller"].map((name) => [
        name,
        SpanStatusCode.OK,
      ]),
    )
  })
})
