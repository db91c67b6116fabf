/**
 * The client that the official conformance runner starts: its last argument is the server's URL, and a variable names
 * the scenario. It exits with 1 when it does not get what the scenario's server has to give.
 */
import { McpApproval, McpConnectionConfig } from "@zain/core"
import { isRecord } from "@zain/process/JsonRpc"
import { type AgentProfile, SdkMcpClient } from "@zain/sdk-client"
import * as Effect from "effect/Effect"
import * as ToolProfile from "./ToolProfile.ts"

/** What each scenario's server is asked, and how its answer must read. */
const questions: Readonly<Record<string, readonly [prompt: string, answer: string] | undefined>> = {
  tools_call: [ToolProfile.prompt("add_numbers", { a: 5, b: 3 }), "The sum of 5 and 3 is 8"],
  "sse-retry": [ToolProfile.prompt("test_reconnection"), "Reconnection test completed successfully"],
  "elicitation-sep1034-client-defaults": [
    ToolProfile.prompt("test_client_elicitation_defaults"),
    'Elicitation completed: {"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}',
  ],
}

/** Accepts every question with the defaults of its form. */
const acceptance = (): AgentProfile.ApprovalDialect => {
  let content: object = {}
  return {
    read: (method, params) => {
      if (method !== "elicitation/create" || !isRecord(params) || !isRecord(params["requestedSchema"])) return undefined
      const { properties } = params["requestedSchema"]
      const fields = Object.entries(isRecord(properties) ? properties : {})
      content = Object.fromEntries(
        fields.map(([name, field]) => [name, isRecord(field) ? field["default"] : undefined]),
      )
      return { kind: "tool", message: String(params["message"]) }
    },
    write: ({ _tag }) => (_tag === "Decline" ? { action: "decline" } : { action: "accept", content }),
  }
}

const program = Effect.gen(function* () {
  const client = yield* SdkMcpClient.make(
    { ...ToolProfile.make("conformance"), approvals: acceptance() },
    { approvals: () => Effect.succeed(McpApproval.approve) },
  )
  const session = yield* client.openSession(McpConnectionConfig.streamableHttp({ url: process.argv.at(-1) ?? "" }))
  const [content, expected] = questions[process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""] ?? []
  if (content !== undefined) {
    const answer = yield* client.execute(session, { content })
    if (answer.content !== expected) return yield* Effect.fail(new Error(`The server said: ${answer.content}`))
  }
  yield* client.closeSession(session)
})

Effect.runPromise(Effect.scoped(program)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 1
})
