/**
 * The agent of this example: an MCP server with one tool, `ask`. Instead of a model, the prompts of the contract suite define
 * what it does. It logs what it receives for the suite.
 */
import { appendFileSync } from "node:fs"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { CallToolRequestSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import * as FakePeerLog from "@zain/contract-tests/FakePeerLog"

const log = process.env[FakePeerLog.logVariable]
const note = (entry: FakePeerLog.LogEntry) => {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`)
}

note({ what: "started", pid: process.pid, born: FakePeerLog.birthOf("self") })

const threads = new Map<string, Array<string>>()
const server = new Server({ name: "my-agent", version: "1.0.0" }, { capabilities: { tools: {} } })

server.setRequestHandler(
  CallToolRequestSchema,
  async ({ params }, { _meta, sendNotification, sendRequest, signal }) => {
    const { prompt, threadId = crypto.randomUUID() } = params.arguments as { prompt: string; threadId?: string }
    const prompts = [...(threads.get(threadId) ?? []), prompt]
    threads.set(threadId, prompts)
    note({ what: "received", prompt })
    signal.addEventListener("abort", () => note({ what: "cancelled", prompt }))

    const answer = (content: string, isError = false) => ({
      content: [{ type: "text", text: content }],
      structuredContent: { threadId, content },
      isError,
    })
    const sendPiece = (message: string, index: number) =>
      sendNotification({
        method: "notifications/progress",
        params: { progressToken: _meta?.progressToken ?? 0, progress: index + 1, message },
      })

    const action = ContractScript.decide(prompts)
    switch (action._tag) {
      case "Events":
        for (const [index, piece] of action.pieces.entries()) await sendPiece(piece, index)
        return answer(action.text)
      case "Approve": {
        const approval = {
          mode: "form" as const,
          message: "May I remove the old build?",
          requestedSchema: { type: "object" as const, properties: {} },
          _meta: { command: "rm -r dist" },
        }
        const { action } = await sendRequest({ method: "elicitation/create", params: approval }, ElicitResultSchema)
        return answer(ContractScript.decided(action === "accept"))
      }
      case "Fail":
        return answer(action.reason, true)
      case "Limit":
        return answer("The limit of this agent is reached.", true)
      case "Hang":
        return new Promise(() => {})
      case "Exit":
        return process.exit(1)
      default:
        return answer("text" in action ? action.text : "ok")
    }
  },
)

if (process.argv.includes("--silent")) process.stdin.resume()
else await server.connect(new StdioServerTransport())
