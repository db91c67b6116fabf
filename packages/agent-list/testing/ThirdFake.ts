/** A fake of the third agent: an MCP server with the agent server's dialect, whose threads end with it. */
import { randomUUID } from "node:crypto"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import { type Agent, type FakeDialect, never, type Outcome, type Server } from "@zain/contract-tests/FakeDialect"

interface Arguments {
  readonly prompt: string
  readonly threadId?: string
  readonly outputSchema?: object
  readonly images?: ReadonlyArray<string>
}

const mute = "the third agent only answers"

const answer = (threadId: string, content: string, isError = false, beside: object = {}): Outcome => ({
  result: {
    isError,
    structuredContent: { threadId, content },
    content: [{ type: "text", text: content }],
    _meta: {
      ...beside,
      "zain/context": { used: 1, size: 100 },
      ...(isError ? {} : { "zain/stop-reason": "completed" }),
    },
  },
})

const make: Server["make"] = () => {
  const threads = new Map<string, Array<string>>()
  return {
    initialize: ({ protocolVersion }) => ({
      result: {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "zain-third-mcp", version: "1.2.3" },
      },
    }),
    tools: [{ name: "third" }, { name: "third-reply" }],
    call: async (_, args, call) => {
      const { images = [], outputSchema, prompt, threadId = randomUUID() } = args as Arguments
      const messages = [...(threads.get(threadId) ?? []), prompt]
      threads.set(threadId, messages)
      call.prompt(ContractScript.received(prompt, images, outputSchema))
      const action = ContractScript.decide(messages)
      switch (action._tag) {
        case "Hang":
          await call.cancelled
          return undefined
        case "Exit":
          call.exit()
          return await never
        case "Fail":
          return answer(threadId, action.reason, true)
        case "Limit": {
          const limited = { _tag: "RateLimited", retryAfter: action.seconds * 1_000, window: "third" }
          return answer(threadId, "limited", true, { "zain/cause": limited })
        }
        case "Approve":
          return answer(threadId, ContractScript.decided(false))
        default:
          return answer(threadId, "text" in action ? action.text : "")
      }
    },
  }
}

export const server: Server = {
  module: import.meta.url,
  version: "third 1.2.3",
  args: ["own"],
  cannot: { approvals: mute, changes: mute, reasons: mute, events: mute, tools: mute, usage: mute },
  make,
}

const agent: Agent = {
  module: import.meta.url,
  version: server.version,
  command: "third-agent",
  make: ({ leave }) => ({ receive: () => leave(2), inputEnded: () => leave(0) }),
}

export const thirdFake: FakeDialect = { name: "third", server, agent }
