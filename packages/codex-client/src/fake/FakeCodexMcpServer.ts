/**
 * A fake `codex mcp-server`.
 *
 * @see Codex 0.153.4, `codex mcp-server`: measured
 */
import { randomUUID } from "node:crypto"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import {
  type Behaviour,
  type Call,
  isObject,
  type JsonObject,
  never,
  type Outcome,
  type Server,
} from "@zain/contract-tests/FakeDialect"

const version = "0.153.4"

const optionsOfCodex = ["model", "cwd", "approval-policy", "sandbox", "config", "base-instructions"]
const argumentsOfCodex = new Set(["prompt", ...optionsOfCodex, "developer-instructions", "compact-prompt"])

const answerSchema = {
  type: "object",
  properties: { threadId: { type: "string" }, content: { type: "string" } },
  required: ["threadId", "content"],
}
const text = { type: "string" }
const tools = [
  {
    name: "codex",
    title: "Codex",
    inputSchema: {
      type: "object",
      required: ["prompt"],
      additionalProperties: false,
      properties: Object.fromEntries(
        [...argumentsOfCodex].map((name) => [name, name === "config" ? { type: "object" } : text]),
      ),
    },
    outputSchema: answerSchema,
  },
  {
    name: "codex-reply",
    title: "Codex Reply",
    inputSchema: {
      type: "object",
      required: ["prompt"],
      properties: { prompt: text, threadId: text, conversationId: text },
    },
    outputSchema: answerSchema,
  },
]

/**
 * `poison`: the cancelled call that receives the thread's next answer. `late`: the answer that the next call receives instead
 * of its own after a failed turn.
 */
interface Thread {
  readonly id: string
  readonly messages: Array<string>
  busy: boolean
  poison: Call["id"] | undefined
  late: Outcome
}

const failure = (message: string): Outcome => ({
  result: { isError: true, content: [{ type: "text", text: message }] },
})

const answer = (threadId: string, content: string, isError: boolean): Outcome => ({
  result: {
    ...(isError ? { isError } : {}),
    structuredContent: { threadId, content },
    content: [{ type: "text", text: content }],
  },
})

/** Starts a server with its own threads. */
const make = (): Behaviour => {
  const threads = new Map<string, Thread>()
  let initialized = false

  const turn = async (thread: Thread, prompt: string, call: Call, isNew: boolean): Promise<Outcome> => {
    call.prompt(prompt)
    if (thread.busy) return await never
    thread.busy = true
    call.signal.addEventListener("abort", () => {
      thread.busy = false
      thread.poison = call.id
    })
    thread.messages.push(prompt)
    const swallowedBy = thread.poison
    const requestId = swallowedBy ?? call.id
    const turnId = randomUUID()
    const tell = (id: string, msg: JsonObject) =>
      call.notify("codex/event", { _meta: { requestId, threadId: thread.id }, id, msg })
    if (isNew)
      tell("", { type: "session_configured", session_id: thread.id, model: "fake-model", history_entry_count: 0 })
    tell(turnId, { type: "task_started", turn_id: turnId, model_context_window: 272_000 })
    const stale = thread.late
    const own = await act(thread, turnId, call, (msg) => tell(turnId, msg))
    if (stale !== undefined) thread.late = own
    const outcome = stale ?? own
    if (call.signal.aborted) {
      tell(turnId, { type: "turn_aborted", reason: "interrupted" })
      return undefined
    }
    thread.busy = false
    if (swallowedBy === undefined) return outcome
    thread.poison = undefined
    call.answerFor(swallowedBy, outcome)
    return await never
  }

  return {
    deaf: new Set([
      "prompts/list",
      "resources/list",
      "resources/templates/list",
      "logging/setLevel",
      "completion/complete",
    ]),
    tools,
    initialize: ({ protocolVersion }) => {
      if (initialized) return { error: { code: -32600, message: "initialize called more than once" } }
      initialized = true
      const serverInfo = {
        name: "codex-mcp-server",
        title: "Codex",
        version,
        user_agent: `codex_cli_rs/${version} (fake)`,
      }
      return { result: { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo } }
    },
    call: async (name, args, call) => {
      if (name !== "codex" && name !== "codex-reply") return failure(`Unknown tool '${name}'`)
      if (!isObject(args)) return failure("Missing arguments for codex tool-call; the `prompt` field is required.")
      const { prompt } = args
      if (typeof prompt !== "string")
        return failure("Failed to parse configuration for Codex tool: missing field `prompt`")
      if (name === "codex") {
        const unknown = Object.keys(args).find((key) => !argumentsOfCodex.has(key))
        if (unknown !== undefined)
          return failure(`Failed to parse configuration for Codex tool: unknown field \`${unknown}\``)
        const thread: Thread = { id: randomUUID(), messages: [], busy: false, poison: undefined, late: undefined }
        threads.set(thread.id, thread)
        return await turn(thread, prompt, call, true)
      }
      const threadId = args["threadId"] ?? args["conversationId"]
      if (typeof threadId !== "string") return failure("Failed to parse thread_id: missing")
      const thread = threads.get(threadId)
      if (thread === undefined) return answer(threadId, `Session not found for thread_id: ${threadId}`, true)
      return await turn(thread, prompt, call, false)
    },
  }
}

const act = async (thread: Thread, turnId: string, call: Call, tell: (msg: JsonObject) => void): Promise<Outcome> => {
  const action = ContractScript.decide(thread.messages)
  const say = (content: string): Outcome => {
    tell({ type: "agent_message", message: content })
    tell({ type: "token_count", info: { total_token_usage: tokens, last_token_usage: tokens }, rate_limits: null })
    tell({ type: "task_complete", turn_id: turnId, last_agent_message: content, duration_ms: 1 })
    return answer(thread.id, content, false)
  }
  const fail = (reason: string): Outcome => {
    tell({ type: "error", message: reason })
    thread.late = answer(thread.id, "", false)
    return answer(thread.id, reason, true)
  }
  switch (action._tag) {
    case "Ask":
    case "Background":
    case "Say":
    case "Partial":
      tell({ type: "agent_message_content_delta", thread_id: thread.id, turn_id: turnId, delta: action.text })
      return say(action.text)
    case "Events":
      for (const delta of action.pieces) {
        tell({ type: "agent_message_content_delta", thread_id: thread.id, turn_id: turnId, delta })
      }
      return say(action.text)
    case "Fail":
      return fail(action.reason)
    case "Limit":
      return fail("exceeded retry limit, last status: 429 Too Many Requests")
    case "Approve":
    case "Change": {
      const about = action._tag === "Approve" ? execApproval : patchApproval(action.text)
      const decision = await Promise.race([askForApproval(thread, turnId, call, about), call.cancelled])
      if (decision === undefined) return undefined
      if (action._tag === "Approve" && decision.startsWith("approved")) for (const msg of execution(turnId)) tell(msg)
      return say(decision)
    }
    case "Use":
      return say("nothing to use: this server has no tools of its client")
    case "Exit":
      call.exit()
      return await never
    case "Hang":
      await call.cancelled
      return undefined
  }
}

const command = ["/bin/bash", "-lc", "touch approved"]
const parsed_cmd = [{ type: "unknown", cmd: "touch approved" }]

/** The events of a command. */
const execution = (turn_id: string): ReadonlyArray<JsonObject> => {
  const about = { call_id: "call_1", turn_id, command, cwd: "/srv/project", parsed_cmd, source: "agent" }
  const output = { stdout: "", stderr: "", aggregated_output: "", formatted_output: "" }
  const duration = { secs: 0, nanos: 1_000_000 }
  return [
    { type: "exec_command_begin", ...about },
    { type: "exec_command_end", ...about, ...output, exit_code: 0, duration, status: "completed" },
  ]
}

const tokens = {
  input_tokens: 11,
  cached_input_tokens: 0,
  output_tokens: 7,
  reasoning_output_tokens: 0,
  total_tokens: 18,
}

const execApproval: JsonObject = {
  message: "Allow Codex to run `/bin/bash -lc 'touch approved'` in `/srv/project`?",
  codex_elicitation: "exec-approval",
  codex_command: command,
  codex_cwd: "/srv/project",
  codex_parsed_cmd: parsed_cmd,
}

const patchApproval = (text: string): JsonObject => ({
  message: "Allow Codex to apply proposed code changes?",
  codex_elicitation: "patch-approval",
  codex_changes: { "/srv/project/changed.txt": { type: "add", content: `${text}\n` } },
})

/** Requests an approval in Codex's dialect. With an error, or without an answer, the call never ends. */
const askForApproval = async (thread: Thread, turnId: string, call: Call, about: JsonObject): Promise<string> => {
  const reply = await call.ask("elicitation/create", {
    ...about,
    requestedSchema: { type: "object", properties: {} },
    threadId: thread.id,
    codex_mcp_tool_call_id: String(call.id),
    codex_event_id: turnId,
    codex_call_id: "call_1",
  })
  const decision = isObject(reply) ? reply["decision"] : undefined
  if (decision === "abort") return await never
  if (!isDecision(decision)) return ContractScript.decided(false, "approval request failed")
  return ContractScript.decided(isApproval(decision), JSON.stringify(decision))
}

const isApproval = (decision: unknown): boolean =>
  decision === "approved" ||
  decision === "approved_for_session" ||
  (isObject(decision) && "approved_execpolicy_amendment" in decision)

const isDecision = (decision: unknown): boolean => {
  if (typeof decision === "string") return ["approved", "approved_for_session", "timed_out"].includes(decision)
  if (!isObject(decision)) return false
  const { approved_execpolicy_amendment, denied } = decision
  return isObject(approved_execpolicy_amendment) || (isObject(denied) && typeof denied["rejection"] === "string")
}

export const server: Server = {
  module: import.meta.url,
  args: ["mcp-server"],
  asked: [],
  version: `codex-cli ${version}`,
  complaint: "Failed to deserialize a message",
  make,
}
