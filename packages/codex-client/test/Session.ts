/** A session of the adapter over the tests' wire. */
import { CodexMcpClientAdapter } from "@zain/codex-client"
import type { CodexNativeOptions } from "@zain/codex-client/CodexOptions"
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import * as AgentWire from "../../sdk-client/testing/AgentWire.ts"
import * as OwnWire from "./OwnWire.ts"

/** Without the argument `mcp-server`, so that the adapter reads no version. */
export const config = (providerOptions: object = {}): McpConnectionConfig.McpConnectionConfig =>
  McpConnectionConfig.stdio({ command: "codex-of-the-test", providerOptions: { ...providerOptions } })

/** An adapter over the tests' wire. */
export const client = Effect.fnUntraced(function* (options: CodexNativeOptions = {}, approvals?: McpApprovalPolicy) {
  const wire = yield* OwnWire.make
  const adapter = yield* CodexMcpClientAdapter.make({
    profile: "native",
    connect: wire.connect,
    options,
    ...(approvals === undefined ? {} : { approvals }),
  })
  return { wire, adapter }
})

/** A session, and the result of `AgentWire.open`. */
export const session = Effect.fnUntraced(function* (
  options?: CodexNativeOptions,
  providerOptions?: object,
  approvals?: McpApprovalPolicy,
) {
  const { adapter, wire } = yield* client(options, approvals)
  const opened = yield* AgentWire.open(adapter, config(providerOptions), wire.next)
  const turn = (content: string, result: unknown = OwnWire.answered("done")) => opened.turn(content, result)
  return { ...opened, adapter, wire, turn }
})

export const { invalidConfig, inWords } = AgentWire
