/**
 * LoopSmith as a library: Codex evaluates a document and Claude Code rewrites it until it is good. Both use scripted models.
 *
 *   pnpm improve
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { AgentEvaluator, AgentWriter, ImprovementLoop, type LoopEvent, ScoreText } from "@zain/loopsmith"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Agents from "./Agents.ts"

const content = "# Zain\n\nA small typed port for coding agents.\n"

const print = (event: LoopEvent.LoopEvent) => {
  if (event._tag === "Evaluated") {
    const { score, suggestions } = event.evaluation
    return Console.log(`${event.iteration}. Codex gives ${ScoreText.score(score)}. ${suggestions.join(" ")}`)
  }
  if (event._tag === "RewriteStarted") return Console.log("   Claude Code writes it again.")
  if (event._tag === "Finished") return Console.log(`\n${event.result.stop}:\n\n${event.result.content}`)
  return Effect.void
}

const program = Effect.gen(function* () {
  const { claudeCode, codex } = yield* Agents.scripted
  const judge = AgentEvaluator.layer({ config: CodexTransportFactory.local(codex) }).pipe(
    Layer.provide(CodexMcpClientAdapter.layer()),
  )
  const writer = AgentWriter.layer({ config: ClaudeCodeTransportFactory.local(claudeCode) }).pipe(
    Layer.provide(ClaudeCodeMcpClientAdapter.layer()),
  )
  yield* ImprovementLoop.improve({ content }).pipe(Stream.runForEach(print), Effect.provide([judge, writer]))
})

await Effect.runPromise(Effect.scoped(program))
