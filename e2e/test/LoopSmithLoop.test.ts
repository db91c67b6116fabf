import { assert, describe, it } from "@effect/vitest"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpClientAdapter } from "@zain/core"
import { AgentEvaluator, AgentWriter, ImprovementLoop } from "@zain/loopsmith"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"
import * as LoopSmithScript from "../src/LoopSmithScript.ts"
import { binaries } from "../src/RealAgents.ts"

const { guide } = LoopSmithScript

/** Two layers, one loop: as a program of a user's has it. */
const improve = ({ env, work }: LoopSmithPlace.LoopSmithPlace) => {
  const judge = AgentEvaluator.layer({
    config: CodexTransportFactory.local({
      command: binaries.codex,
      env,
      options: { cwd: work, sandbox: "read-only", approvalPolicy: "never" },
    }),
  }).pipe(Layer.provide(McpClientAdapter.layer(CodexMcpClientAdapter.make())))
  const writer = AgentWriter.layer({
    config: ClaudeCodeTransportFactory.local({
      command: binaries.claudeCode,
      env,
      options: { cwd: work, permissionMode: "dontAsk" },
    }),
  }).pipe(Layer.provide(McpClientAdapter.layer(ClaudeCodeMcpClientAdapter.make())))
  return ImprovementLoop.run({ content: guide[0].content }).pipe(Effect.provide(Layer.mergeAll(judge, writer)))
}

describe("ImprovementLoop, the real Codex as judge and the real Claude Code as writer", () => {
  it.live("LoopSmith 10 and 4: reaches 8.0 in three evaluations and two rewrites, each document byte for byte", () =>
    Effect.gen(function* () {
      const play = LoopSmithScript.improving(guide)
      const servers: Array<number> = []
      const place: LoopSmithPlace.LoopSmithPlace = yield* LoopSmithPlace.make((request) => {
        servers.push(place.alive().filter(({ command }) => /zain-(codex|claude-code)-mcp/.test(command)).length)
        return play(request)
      })
      const result = yield* improve(place)
      assert.deepInclude(result, { stop: "reached-target", best: 3, score: 8.2, content: guide[2].content })
      assert.deepStrictEqual(
        result.iterations.map(({ evaluation: { metadata, pass, score } }) => [score, pass, metadata.model_used]),
        guide.map(({ score }) => [score, score >= 8, "codex"]),
      )
      const { judge, other } = LoopSmithScript.asked(yield* place.model.requests)
      const rounds = (requests: typeof judge) => requests.map((request) => LoopSmithScript.roundIn(guide, request))
      assert.deepStrictEqual(
        [rounds(judge), rounds(other)],
        [
          [0, 1, 2],
          [0, 1],
        ],
      )
      assert.deepStrictEqual(servers, [1, 1, 1, 1, 1], "No agent outlives its question.")
      assert.deepStrictEqual(place.alive(), [])
    }),
  )
})
