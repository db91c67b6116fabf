/**
 * A fake `claude mcp serve`.
 *
 * @see Claude Code, `claude mcp serve`: measured
 */
import { randomBytes, randomUUID } from "node:crypto"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import {
  type Behaviour,
  type Call,
  type Host,
  isObject,
  type JsonObject,
  never,
  type Outcome,
  type Server,
} from "@zain/contract-tests/FakeDialect"
import { tried } from "../native/TestedVersion.ts"
import * as ShellHooks from "./ShellHooks.ts"

const version = tried.join(".")

const text = { type: "string" }
const tools = [
  {
    name: "Agent",
    searchHint: "delegate work to a subagent",
    aliases: ["Task"],
    backgrounding: "self",
    inputSchema: {
      type: "object",
      properties: { description: text, prompt: text, subagent_type: text, model: text, effort: text, isolation: text },
      required: ["description", "prompt"],
      additionalProperties: false,
    },
  },
  {
    name: "SendMessage",
    inputSchema: {
      type: "object",
      properties: { to: text, summary: { ...text, maxLength: 200 }, message: { default: "", ...text } },
      required: ["to", "message"],
      additionalProperties: false,
    },
  },
]

const protocols = new Set(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])

interface Agent {
  readonly id: string
  readonly messages: Array<string>
  busy: boolean
}

/** How a turn of an agent ended. */
type Ending =
  | { readonly _tag: "Answered"; readonly blocks: ReadonlyArray<string>; readonly notes: number }
  | { readonly _tag: "Failed"; readonly message: string }
  | undefined

const terminated = "Agent terminated early due to an API error:"

const textResult = (content: string, isError: boolean): Outcome => ({
  result: { content: [{ type: "text", text: content }], ...(isError ? { isError } : {}) },
})
const report = (value: JsonObject): Outcome => textResult(JSON.stringify(value), false)
const refused = (message: string): Outcome => report({ success: false, message })

/** Starts a server with its own agents. */
const make = (host: Host): Behaviour => {
  const runHooks = ShellHooks.make(host)
  const agents = new Map<string, Agent>()
  const sessionId = randomUUID()
  const about = ({ id }: Agent) => ({
    session_id: sessionId,
    agent_id: id,
    agent_type: "general-purpose",
    cwd: process.cwd(),
  })

  const turn = async (agent: Agent, prompt: string, message: string, call: Call): Promise<Ending> => {
    if (call.signal.aborted) return undefined
    agent.busy = true
    call.signal.addEventListener("abort", () => {
      agent.busy = false
    })
    agent.messages.push(message)
    call.prompt(prompt)
    const ending = await act(agent, call)
    if (ending === undefined || call.signal.aborted) return undefined
    if (ending._tag === "Answered") {
      const said = ending.blocks.slice(ending.notes).join("\n")
      await runHooks("SubagentStop", { ...about(agent), stop_hook_active: false, last_assistant_message: said })
    }
    agent.busy = false
    return ending
  }

  const start = async ({ description, prompt }: JsonObject, call: Call): Promise<Outcome> => {
    if (typeof prompt !== "string" || typeof description !== "string") {
      return textResult("Tool Agent arguments failed schema validation: expected string", true)
    }
    const agent: Agent = { id: `a${randomBytes(8).toString("hex")}`, messages: [], busy: false }
    agents.set(agent.id, agent)
    await runHooks("SubagentStart", about(agent))
    const ending = await turn(agent, prompt, prompt, call)
    if (ending === undefined) return undefined
    if (ending._tag === "Failed") return textResult(ending.message, true)
    return report({
      status: "completed",
      prompt,
      agentId: agent.id,
      agentType: "general-purpose",
      harnessNoteCount: ending.notes,
      harnessTailCount: 0,
      content: ending.blocks.map((block) => ({ type: "text", text: block })),
      resolvedModel: "fake-model",
      totalDurationMs: 1,
      totalTokens: 18,
      totalToolUseCount: 0,
      usage: { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 0 },
      canContinueAgent: true,
    })
  }

  const resume = async ({ message, to }: JsonObject, call: Call): Promise<Outcome> => {
    if (typeof to !== "string" || typeof message !== "string") {
      return textResult("Tool SendMessage arguments failed schema validation: expected string", true)
    }
    if (message === "") return textResult("Tool SendMessage input is invalid: message must not be empty", true)
    const agent = agents.get(to)
    const unable = `Agent "${to}" could not be resumed:`
    if (agent === undefined) return refused(`${unable} No transcript found for agent ID: ${to}`)
    if (agent.busy) return refused(`${unable} Agent ${to} is already running or being resumed`)
    const wrapped =
      "The coordinator sent a message while you were working:\n" +
      `${message}\n\nAddress this before completing your current task.`
    const ending = await turn(agent, message, wrapped, call)
    if (ending === undefined) return undefined
    if (ending._tag === "Failed")
      return refused(`Agent "${to}" was resumed but failed while running: ${ending.message}`)
    return report({
      success: true,
      message: "Resumed agent. Its final report is not in this message.",
      inlineHandback: { displayName: to.slice(0, 7), content: [] },
      pin: { id: to, name: to, ref: to.slice(1, 7) },
    })
  }

  return {
    tools,
    initialize: ({ protocolVersion }) => ({
      result: {
        protocolVersion: protocols.has(String(protocolVersion)) ? protocolVersion : "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "claude/tengu", version },
      },
    }),
    call: async (name, args, call) => {
      const given = isObject(args) ? args : {}
      if (name === "Agent" || name === "Task") return await start(given, call)
      if (name === "SendMessage") return await resume(given, call)
      return { error: { code: -32603, message: `Tool ${name} not found` } }
    },
  }
}

const act = async (agent: Agent, call: Call): Promise<Ending> => {
  const action = ContractScript.decide(agent.messages)
  switch (action._tag) {
    case "Ask":
    case "Background":
    case "Say":
      return { _tag: "Answered", blocks: [action.text], notes: 0 }
    case "Events":
      for (const [index] of action.pieces.entries()) beat(call, (index + 1) * 30)
      return { _tag: "Answered", blocks: [action.text], notes: 0 }
    case "Fail":
      return { _tag: "Failed", message: `${terminated} API Error: ${action.reason} (error type server_error)` }
    case "Limit": {
      const why = `API Error: Request rejected (429) · for ${action.seconds} s (error type rate_limit, HTTP 429)`
      return { _tag: "Failed", message: `${terminated} ${why}` }
    }
    case "Partial":
      return { _tag: "Answered", blocks: [cutOff, toolsUsed, action.text], notes: 2 }
    case "Approve":
    case "Change":
      return { _tag: "Answered", blocks: ["nothing to approve: what needs an approval is declined"], notes: 0 }
    case "Use":
      return { _tag: "Answered", blocks: ["nothing to use: this server has no tools of its client"], notes: 0 }
    case "Exit":
      call.exit()
      return await never
    case "Hang":
      await call.cancelled
      return undefined
  }
}

const beat = ({ notify, progressToken }: Call, seconds: number) => {
  if (progressToken === undefined) return
  notify("notifications/progress", { progressToken, progress: seconds, message: `Running for ${seconds}s` })
}

const cutOff =
  `${terminated} API Error: 500 fake late 500. (error type server_error, HTTP 500)\n\n` +
  "Everything below is PARTIAL output recovered from the agent before it was cut off. " +
  "The agent did NOT finish its task — treat these results as incomplete."
const toolsUsed = "<tools-used-before-summary>Bash</tools-used-before-summary>\n"

const declines = "`claude mcp serve` declines by itself what would need an approval"

export const server: Server = {
  module: import.meta.url,
  args: ["mcp", "serve"],
  version: `${version} (Claude Code)`,
  terminated: 143,
  cannot: {
    approvals: declines,
    changes: declines,
    reasons: declines,
    tools: "`claude mcp serve` reports no tool of its agents",
    usage: "`claude mcp serve` counts the tokens of the first turn alone, and reports them in no event",
  },
  make,
}
