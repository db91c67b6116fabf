// A program of a user's, with the packages as they are published: no source condition, declarations checked too.
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import { ContractScript, FakeAgent, FakePeer } from "@zain/contract-tests"
import { InMemoryMcpClient, McpConnectionConfig, McpPromiseClient, McpResponse, McpResult } from "@zain/core"
import * as McpClient from "@zain/core/McpClient"
import { AgentEvaluator, Evaluation, Evaluator, PromptTemplate } from "@zain/loopsmith"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"

const ask = Effect.fnUntraced(function* (config: McpConnectionConfig, content: string) {
  const client = yield* McpClient.McpClient
  const session = yield* client.openSession(config)
  return yield* client.execute(session, { content }).pipe(Effect.ensuring(Effect.ignore(client.closeSession(session))))
})
const hello = (name: string) => ContractScript.prompt({ _tag: "Say", text: `hello from ${name}` })

// With Effect: the agents' own MCP servers.
for (const [dialect, layer] of [
  [fakeCodex, CodexMcpClientAdapter.layer({ profile: "native" })],
  [fakeClaudeCode, ClaudeCodeMcpClientAdapter.layer({ profile: "native" })],
] as const) {
  const config = McpConnectionConfig.stdio(FakePeer.command(dialect))
  const answer = await Effect.runPromise(Effect.provide(ask(config, hello(dialect.name)), layer))
  assert.equal(answer.content, `hello from ${dialect.name}`)
}

// With promises: any agent, behind the agent server that was installed with its client.
const directory = mkdtempSync(join(tmpdir(), "consumer-"))
const env = { XDG_STATE_HOME: directory }
for (const [dialect, adapter, local] of [
  [fakeCodex, CodexMcpClientAdapter.make(), CodexTransportFactory.local],
  [fakeClaudeCode, ClaudeCodeMcpClientAdapter.make(), ClaudeCodeTransportFactory.local],
] as const) {
  const { command } = Effect.runSync(FakeAgent.install(dialect, directory))
  await using client = await McpPromiseClient.make(adapter)
  const session = McpResult.getOrThrow(await client.openSession(local({ command, env })))
  const answer = McpResponse.getOrThrow(await client.execute(session, hello(dialect.name)))
  assert.equal(answer.content, `hello from ${dialect.name}`)
}
rmSync(directory, { recursive: true })

// In memory, and wrong.
await using memory = await McpPromiseClient.make(InMemoryMcpClient.make())
const session = McpResult.getOrThrow(await memory.openSession(InMemoryMcpClient.config))
const failed = await memory.execute(session, "")
assert.equal(McpResult.isFailure(failed) && failed.failure.reason, "empty-content")

// LoopSmith: both prompts that it brings, and an evaluation by an agent that is a function.
const improvement = PromptTemplate.load({
  packaged: "improvement-prompt.txt",
  needs: ["document_content", "suggestions"],
})
const scores = { completeness: 6, accuracy: 8, clarity: 7, usability: 7 }
const judge = InMemoryMcpClient.layer({
  reply: ({ content }) => {
    const said = { score: content.includes("# Guide") ? 7 : 0, rubric_scores: scores, suggestions: ["Say more."] }
    return Effect.succeed(JSON.stringify(said))
  },
})
const evaluation = Effect.gen(function* () {
  const { evaluate } = yield* Evaluator.Evaluator
  return yield* evaluate(yield* Effect.fromResult(Evaluation.request({ content: "# Guide" })))
}).pipe(Effect.provide(AgentEvaluator.layer({ config: InMemoryMcpClient.config })), Effect.provide(judge))
const { pass, score } = await Effect.runPromise(Effect.andThen(improvement, evaluation))
assert.deepEqual({ pass, score }, { pass: false, score: 7 })

// A model that plays a script, and the configuration of an agent for it.
await using model = await ScriptedModel.start({ turns: [ScriptedTurn.text("hello from a script")] })
await model.codex()
const request = { model: "m", stream: false, input: [{ type: "message", role: "user", content: "hello" }] }
const reply = await fetch(`${model.url}/v1/responses`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(request),
})
assert.match(await reply.text(), /hello from a script/)
process.stdout.write("done\n")
