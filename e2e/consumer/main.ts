// A program of a user's, with the packages as they are published: no source condition, declarations checked too.
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { ContractScript, FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import { InMemoryMcpClient, McpConnectionConfig, McpPromiseClient, McpResult } from "@zain/core"
import * as McpClient from "@zain/core/McpClient"
import { ConnectionUnavailable } from "@zain/core/McpError"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Effect from "effect/Effect"

const ask = Effect.fnUntraced(function* (config: McpConnectionConfig.McpConnectionConfig, content: string) {
  const client = yield* McpClient.McpClient
  const session = yield* client.openSession(config)
  return yield* client.execute(session, { content }).pipe(Effect.ensuring(Effect.ignore(client.closeSession(session))))
})

for (const dialect of ["codex", "claude-code"] as const) {
  const layer =
    dialect === "codex"
      ? CodexMcpClientAdapter.layer({ profile: "native" })
      : ClaudeCodeMcpClientAdapter.layer({ profile: "native" })
  const config = McpConnectionConfig.stdio(FakePeer.command(dialect))
  const prompt = ContractScript.prompt({ _tag: "Say", text: `hello from ${dialect}` })
  const answer = await Effect.runPromise(Effect.provide(ask(config, prompt), layer))
  process.stdout.write(`${answer.provider}: ${answer.content}\n`)
}

await using memory = await McpPromiseClient.make(InMemoryMcpClient.make())
const session = await memory.openSession(InMemoryMcpClient.config)
if (McpResult.isFailure(session)) throw session.failure
const failed = await memory.execute(session.success, "")
process.stdout.write(`${McpResult.isFailure(failed) ? failed.failure.reason : "?"}\n`)

const known = [
  ScriptedModel.start,
  ScriptedTurn.text,
  SdkMcpClient.make,
  ConnectionUnavailable,
  McpClientContractSuite.check,
]
const locals = [CodexTransportFactory.native(), ClaudeCodeTransportFactory.native()]
process.stdout.write(`${known.length + locals.length} more names\n`)
