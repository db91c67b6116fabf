/**
 * A fake `claude -p` with JSON streams as input and output.
 *
 * @see Claude Code: measured
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import {
  type Agent,
  type Conversation,
  type Conversations,
  isObject,
  type JsonObject,
  never,
  type Place,
  type RunningAgent,
  textOf,
} from "@zain/contract-tests/FakeDialect"
import { tried } from "../native/TestedVersion.ts"
import * as FakeTranscripts from "./FakeTranscripts.ts"

/** How a turn ended. */
type Ending =
  | {
      readonly _tag: "Answered"
      readonly text: string
      readonly denials: ReadonlyArray<JsonObject>
      readonly value?: unknown
    }
  | { readonly _tag: "Failed"; readonly text: string; readonly status: number }
  | { readonly _tag: "Aborted"; readonly reason: "aborted_streaming" | "aborted_tools" }

/** A request for an approval, and the sub-agent that made it. */
interface Asked {
  readonly resolve: (answer: JsonObject) => void
  readonly agent: unknown
}

interface UserMessage {
  readonly prompt: string
  readonly uuid: unknown
  /** In base64. */
  readonly images: ReadonlyArray<string>
  /** Whether the running turn may take it. */
  readonly isNext: boolean
}

const command = { command: "touch approved", description: "Make a file" }

/** Starts a process with one conversation, which outlives it. With `--await-initialize`, its first message must be `initialize`. */
const make = (place: Place): RunningAgent => {
  const { args, leave } = place
  if (!args.includes("--await-initialize")) return start(place, undefined)
  if (flag(args, "--initialize-fields") !== "settings") {
    leave(1, "error: option '--initialize-fields <names>' argument is invalid.")
    return { receive: () => {}, inputEnded: () => {} }
  }
  let agent: RunningAgent | undefined
  return {
    inputEnded: () => (agent === undefined ? leave(1) : agent.inputEnded()),
    receive: (message) => {
      if (agent !== undefined) return agent.receive(message)
      const request = isObject(message["request"]) ? message["request"] : {}
      if (request["subtype"] !== "initialize") {
        return leave(1, "Error: --await-initialize requires the initialize control request as the first stdin line")
      }
      if (!isObject(request["settings"])) {
        return leave(1, "Error: --initialize-fields=settings requires initialize.settings to be a JSON object.")
      }
      agent = start(place, request["settings"])
      agent.receive(message)
    },
  }
}

const start = (
  { args, conversations: usual, crash, cwd, decide, leave, saw, send }: Place,
  settings: JsonObject | undefined,
): RunningAgent => {
  const home = process.env["CLAUDE_CONFIG_DIR"]
  const conversations = home === undefined ? usual : FakeTranscripts.make(join(home, "projects"), usual)
  const conversation = conversationOf(args, cwd, conversations)
  if (typeof conversation === "string") {
    const errors = [conversation]
    if (args.some((arg) => /^--resume(?:=|$)/u.test(arg)))
      send({ type: "result", subtype: "error_during_execution", is_error: true, errors })
    leave(1, conversation)
    return { receive: () => {}, inputEnded: () => {} }
  }
  const asked = new Map<unknown, Asked>()
  const waiting: Array<UserMessage> = []
  /** The sub-agents in the background. */
  const tasks = new Set<string>()
  let reports = 0
  let current: UserMessage | undefined
  /** The further messages that the running turn has taken. */
  let taken: ReadonlyArray<UserMessage> = []
  let isWorking = false
  let interrupt: (() => void) | undefined
  let hasEnded = false
  let status = 0
  /** The schema of the answers. */
  let schema: unknown
  /** The host's own MCP servers, with the names of their tools. */
  const servers = new Map<string, Promise<ReadonlyArray<unknown>>>()
  let messages = 0
  const env = isObject(settings?.["env"]) ? settings["env"] : {}
  let model = String(env["ANTHROPIC_MODEL"] ?? "fake-model")
  let permissionMode = flag(args, "--permission-mode") ?? "default"
  let turns = 0

  const tell = (message: JsonObject) => send({ ...message, session_id: conversation.id, uuid: randomUUID() })
  /** The prompt of the running turn. */
  const about = () =>
    current?.uuid === undefined ? {} : { user_message_uuids: [current, ...taken].map(({ uuid }) => uuid) }
  const ofMain = (message: JsonObject) => tell({ ...message, parent_tool_use_id: null })
  const stream = (event: JsonObject) => ofMain({ type: "stream_event", event })

  const say = (text: string, pieces: ReadonlyArray<string>) => {
    const id = `msg_${randomUUID()}`
    const deltas = pieces.map((piece) => ({ type: "text_delta", text: piece }))
    conversation.say(text)
    block(id, { type: "text", text: "" }, deltas, { type: "text", text }, "end_turn")
  }

  const block = (
    id: string,
    empty: JsonObject,
    deltas: ReadonlyArray<JsonObject>,
    whole: JsonObject,
    stopReason: string,
  ) => {
    const message = { id, type: "message", role: "assistant", model: "fake-model", content: [], usage: tokens(0) }
    stream({ type: "message_start", message })
    stream({ type: "content_block_start", index: 0, content_block: empty })
    for (const delta of deltas) stream({ type: "content_block_delta", index: 0, delta })
    ofMain({ type: "assistant", message: { ...message, content: [whole] } })
    stream({ type: "content_block_stop", index: 0 })
    stream({ type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 7 } })
    stream({ type: "message_stop" })
  }

  /** Uses a tool, and returns the id of the use. */
  const toolUse = (name: string, input: unknown, deltas: ReadonlyArray<JsonObject> = []): string => {
    const id = `toolu_${randomUUID().replaceAll("-", "")}`
    const whole = { type: "tool_use", id, name, input }
    block(`msg_${randomUUID()}`, { ...whole, input: {} }, deltas, whole, "tool_use")
    return id
  }

  /** Gives a value by the tool for it. */
  const answerWith = (json: string): Ending => {
    const input = JSON.parse(json)
    const id = toolUse("StructuredOutput", input)
    heard([{ type: "tool_result", tool_use_id: id, content: "Structured output provided successfully" }])
    return { _tag: "Answered", text: json, denials: [], value: input }
  }

  const heard = (content: ReadonlyArray<JsonObject>) => ofMain({ type: "user", message: { role: "user", content } })

  const result = (ending: Ending, used: number) => {
    const isError = ending._tag !== "Answered"
    if (isError) status = 1
    const common = {
      model_usage_since_last_result: {
        "fake-model": { inputTokens: 11 * used, outputTokens: 7 * used, costUSD: 0.01 * used },
      },
      ...{ type: "result", duration_ms: 1, num_turns: used, is_error: isError, total_cost_usd: 0 },
      ...{
        usage: tokens(used),
        modelUsage: { "fake-model": { contextWindow: 200_000 } },
        result_index: turns++,
        ...about(),
      },
      ...{ permission_denials: ending._tag === "Answered" ? ending.denials : [] },
    }
    if (ending._tag === "Aborted") {
      const errors = [`[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null`]
      return tell({ ...common, subtype: "error_during_execution", terminal_reason: ending.reason, errors })
    }
    const api_error_status = ending._tag === "Failed" ? ending.status : null
    const api_error_type = api_error_status === 429 ? "rate_limit_error" : "api_error"
    const failure = { terminal_reason: "api_error", api_error_status, api_error_type }
    const success = { terminal_reason: "completed", api_error_status: null }
    const structured = ending._tag === "Answered" && "value" in ending ? { structured_output: ending.value } : {}
    tell({ ...common, subtype: "success", result: ending.text, ...structured, ...(isError ? failure : success) })
  }

  const approve = async (isOver: () => boolean, name: string, input: JsonObject): Promise<Ending> => {
    const id = toolUse(name, input, [{ type: "input_json_delta", partial_json: JSON.stringify(input) }])
    const answer = await ask({
      ...{ subtype: "can_use_tool", tool_name: name, display_name: name, input, tool_use_id: id },
      ...(name === "Bash" ? { ...aboutCommand, blocked_path: `${cwd}/approved` } : {}),
    })
    if (isOver()) return { _tag: "Aborted", reason: "aborted_tools" }
    const response = isObject(answer["response"]) ? answer["response"] : {}
    const isApproved = response["behavior"] === "allow"
    const message = typeof response["message"] === "string" ? response["message"] : String(answer["error"] ?? "")
    const { answers } = isObject(response["updatedInput"]) ? response["updatedInput"] : {}
    const output = answers === undefined ? `(${name} completed with no output)` : JSON.stringify(answers)
    const content = isApproved ? output : message
    heard([{ type: "tool_result", tool_use_id: id, content, is_error: !isApproved }])
    if (takeNext()) return await act(isOver)
    const text = ContractScript.decided(isApproved, isApproved && answers === undefined ? "" : content)
    say(text, [text])
    const denial = { tool_name: name, tool_use_id: id, tool_input: input }
    return { _tag: "Answered", text, denials: isApproved ? [] : [denial] }
  }

  /** The running turn takes the messages that wait for it. */
  const takeNext = (): boolean => {
    const next = waiting.filter((one, at) => at > 0 && one.isNext)
    for (const one of next) {
      waiting.splice(waiting.indexOf(one), 1)
      follow(one, "started")
      hear(one)
    }
    taken = [...taken, ...next]
    return next.length > 0
  }
  const hear = ({ images, prompt }: UserMessage) => {
    conversation.hear(prompt)
    saw({ what: "received", prompt: ContractScript.received(prompt, images, schema, model) })
  }

  /** Sends a message to an MCP server of the host. */
  const toServer = async (server_name: string, method: string, params: JsonObject): Promise<JsonObject> => {
    const message = { jsonrpc: "2.0", id: messages++, method, params }
    const { response } = await ask({ subtype: "mcp_message", server_name, message })
    const { mcp_response } = isObject(response) ? response : {}
    const { result } = isObject(mcp_response) ? mcp_response : {}
    return isObject(result) ? result : {}
  }
  const connect = async (server: string) => {
    await toServer(server, "initialize", { protocolVersion: "2025-11-25", capabilities: {} })
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
    await ask({ subtype: "mcp_message", server_name: server, message: initialized })
    const { tools } = await toServer(server, "tools/list", {})
    return (Array.isArray(tools) ? tools : []).map(({ name }) => name)
  }
  /** Calls a tool of the host's own. It needs approval, unless the settings allow its server. */
  const use = async ({ input, tool }: ContractScript.ToolUse) => {
    for (const [server, tools] of servers) {
      if (!(await tools).includes(tool)) continue
      const name = `mcp__${server}__${tool}`
      const id = toolUse(name, input)
      const { allow } = isObject(settings?.["permissions"]) ? settings["permissions"] : {}
      const isAllowed = Array.isArray(allow) && allow.includes(`mcp__${server}`)
      if (!isAllowed) await ask({ subtype: "can_use_tool", tool_name: name, input, tool_use_id: id })
      const { content, isError } = await toServer(server, "tools/call", { name: tool, arguments: input })
      heard([{ type: "tool_result", tool_use_id: id, content, is_error: isError === true }])
      return textOf(content)
    }
    return `No such tool available: ${tool}`
  }

  const aboutCommand = { description: command.description, permission_suggestions: suggestions(cwd) }
  const ask = (request: JsonObject) =>
    new Promise<JsonObject>((resolve) => {
      const id = randomUUID()
      asked.set(id, { resolve, agent: request["agent_id"] })
      send({ type: "control_request", request_id: id, request })
    })
  const withdraw = (isDue: (one: Asked) => boolean) => {
    for (const [id] of [...asked].filter(([, one]) => isDue(one))) {
      send({ type: "control_cancel_request", request_id: id })
      asked.delete(id)
    }
  }

  const tellState = (state: "running" | "idle") => tell({ type: "system", subtype: "session_state_changed", state })
  const tellTasks = () => {
    const about = { task_type: "local_agent", subagent_type: "general-purpose", description: "A task" }
    const listed = [...tasks].map((task_id) => ({ task_id, ...about }))
    tell({ type: "system", subtype: "background_tasks_changed", tasks: listed })
  }
  const endTask = (task_id: string, status: "completed" | "stopped") => {
    if (!tasks.delete(task_id)) return
    withdraw(({ agent }) => agent === task_id)
    tell({ type: "system", subtype: "task_notification", task_id, status, summary: "A task" })
    tellTasks()
  }
  /** Starts a sub-agent, which requests an approval; its report starts a turn. */
  const delegate = () => {
    const agent_id = `a${randomUUID().slice(0, 16)}`
    const tool_use_id = toolUse("Agent", { description: "A task", prompt: "Go." })
    tasks.add(agent_id)
    tellTasks()
    heard([{ type: "tool_result", tool_use_id, content: "Async agent launched successfully." }])
    const work = async () => {
      const beside = { agent_id, parent_tool_use_id: tool_use_id }
      const id = `toolu_${randomUUID()}`
      const content = [{ type: "tool_use", id, name: "Bash", input: command }]
      tell({ type: "assistant", message: { role: "assistant", content }, ...beside })
      await ask({ subtype: "can_use_tool", tool_name: "Bash", input: command, tool_use_id: id, agent_id })
      const done = [{ type: "tool_result", tool_use_id: id, content: "Done." }]
      tell({ type: "user", message: { role: "user", content: done }, ...beside })
      endTask(agent_id, "completed")
      reports++
      await proceed()
    }
    setImmediate(() => void work())
  }

  const fail = (text: string, status: number, error: string): Ending => {
    const content = [{ type: "text", text }]
    const message = { id: randomUUID(), type: "message", role: "assistant", model: "<synthetic>", content }
    ofMain({ type: "assistant", message, error, is_api_error_message: true })
    return { _tag: "Failed", text, status }
  }

  const act = async (isOver: () => boolean): Promise<Ending> => {
    const action = await decide(conversation.messages)
    if (action === undefined) return { _tag: "Answered", text: "", denials: [] }
    switch (action._tag) {
      case "Background":
      case "Say":
      case "Partial":
      case "Events":
        if (action._tag === "Say" && schema !== undefined && action.text.startsWith("{")) return answerWith(action.text)
        if (action._tag === "Background") delegate()
        say(action.text, action._tag === "Events" ? action.pieces : [action.text])
        return { _tag: "Answered", text: action.text, denials: [] }
      case "Fail":
        return fail(`API Error: 500 ${action.reason}`, 500, "server_error")
      case "Limit": {
        const resetsAt = ContractScript.resetsAt(action)
        const unifiedWindows = { five_hour: { utilization: 1, resetsAt } }
        const info = { status: "rejected", resetsAt, rateLimitType: "five_hour", isUsingOverage: false, unifiedWindows }
        tell({ type: "rate_limit_event", rate_limit_info: info })
        return fail("You've hit your 5-hour limit", 429, "rate_limit")
      }
      case "Approve":
        return await approve(isOver, "Bash", command)
      case "Change":
        return await approve(isOver, "Write", { file_path: `${cwd}/changed.txt`, content: `${action.text}\n` })
      case "Use": {
        const results: Array<string> = []
        for (const call of action.calls) results.push(await use(call))
        if (isOver()) return { _tag: "Aborted", reason: "aborted_tools" }
        const text = ContractScript.used(results)
        say(text, [text])
        return { _tag: "Answered", text, denials: [] }
      }
      case "Ask": {
        const question = {
          question: action.text,
          header: "Colour",
          options: ContractScript.choices,
          multiSelect: false,
        }
        return await approve(isOver, "AskUserQuestion", { questions: [question] })
      }
      case "Exit":
        crash()
        return await never
      case "Hang":
        return await never
    }
  }

  const init = () => {
    tell({
      ...{ type: "system", subtype: "init", cwd, tools: ["Bash"], model, permissionMode },
      ...{ capabilities: ["msg_lifecycle_v1", "interrupt_cancel_queued_v1", "request_marker_lists_v1"], ...about() },
    })
    tell({ type: "system", subtype: "status", status: "requesting", ...about() })
  }

  /** A turn of its own, about the sub-agents that have ended. */
  const report = () => {
    reports = 0
    init()
    const text = "A sub-agent has ended."
    say(text, [text])
    result({ _tag: "Answered", text, denials: [] }, 1)
  }

  const turn = async (message: UserMessage) => {
    const { prompt } = message
    let isOver = false
    taken = []
    hear(message)
    const aborted = new Promise<Ending>((resolve) => {
      interrupt = () => {
        isOver = true
        interrupt = undefined
        saw({ what: "cancelled", prompt })
        const reason = asked.size > 0 ? "aborted_tools" : "aborted_streaming"
        withdraw(() => true)
        heard([{ type: "text", text: "[Request interrupted by user]" }])
        resolve({ _tag: "Aborted", reason })
      }
    })
    init()
    const ending = await Promise.race([act(() => isOver), aborted])
    interrupt = undefined
    result(ending, ending._tag === "Answered" ? 1 : 0)
  }

  /** Reports the state of a user message that has a `uuid`. */
  const follow = ({ uuid }: UserMessage, state: "queued" | "started" | "completed" | "cancelled") => {
    if (uuid !== undefined) tell({ type: "command_lifecycle", command_uuid: uuid, state })
  }

  const proceed = async () => {
    if (isWorking) return
    isWorking = true
    tellState("running")
    while (waiting.length > 0 || reports > 0) {
      current = waiting[0]
      if (current === undefined) report()
      else {
        follow(current, "started")
        await turn(current)
        follow(current, "completed")
        waiting.shift()
      }
      current = undefined
    }
    isWorking = false
    if (tasks.size === 0) tellState("idle")
    if (hasEnded) leave(status)
  }

  const control = ({ request: given, request_id }: JsonObject) => {
    const request = isObject(given) ? given : {}
    const respond = (response: JsonObject) => send({ type: "control_response", response: { ...response, request_id } })
    switch (request["subtype"]) {
      case "initialize":
        schema = request["jsonSchema"]
        for (const name of Array.isArray(request["sdkMcpServers"]) ? request["sdkMcpServers"] : []) {
          servers.set(String(name), connect(String(name)))
        }
        return respond({
          subtype: "success",
          response: {
            commands: [],
            current_permission_mode: permissionMode,
            ...(settings === undefined ? {} : { settings_applied: true }),
          },
        })
      case "get_settings": {
        const sources = settings === undefined ? [] : [{ source: "flagSettings", settings }]
        return respond({ subtype: "success", response: { effective: settings ?? {}, applied: { model }, sources } })
      }
      case "set_model":
        model = String(request["model"])
        return respond({ subtype: "success", response: { model } })
      case "set_permission_mode":
        permissionMode = String(request["mode"])
        tell({ type: "system", subtype: "status", status: null, permissionMode })
        return respond({ subtype: "success", response: { mode: permissionMode } })
      case "apply_flag_settings":
        return respond({ subtype: "success" })
      case "interrupt": {
        // The first of them may have begun.
        const queued = request["cancel_queued"] === true ? waiting.splice(current === undefined ? 0 : 1) : []
        for (const task of [...tasks]) endTask(task, "stopped")
        for (const message of queued) follow(message, "cancelled")
        respond({ subtype: "success", response: { still_queued: [], cancelled: queued.map(({ uuid }) => uuid) } })
        return interrupt?.()
      }
      case "cancel_async_message": {
        const at = waiting.findIndex(
          ({ uuid }, at) => uuid === request["message_uuid"] && (at > 0 || current === undefined),
        )
        const [message] = at < 0 ? [] : waiting.splice(at, 1)
        if (message !== undefined) follow(message, "cancelled")
        return respond({ subtype: "success", response: { cancelled: message !== undefined } })
      }
      case "stop_task":
        endTask(String(request["task_id"]), "stopped")
        return respond({ subtype: "success", response: {} })
      default:
        return respond({
          subtype: "error",
          error: `Unsupported control request subtype: ${String(request["subtype"])}`,
        })
    }
  }

  return {
    inputEnded: () => {
      hasEnded = true
      if (waiting.length === 0) leave(status)
    },
    receive: (message) => {
      switch (message["type"]) {
        case "user": {
          const isNext = message["priority"] === "next"
          const said = { prompt: promptOf(message), uuid: message["uuid"], images: imagesOf(message), isNext }
          follow(said, "queued")
          waiting.push(said)
          void proceed()
          return
        }
        case "control_request":
          return control(message)
        case "control_response": {
          const response = isObject(message["response"]) ? message["response"] : {}
          const id = response["request_id"]
          asked.get(id)?.resolve(response)
          asked.delete(id)
          return
        }
      }
    },
  }
}

/** The conversation of a command line, or why it does not exist. */
const conversationOf = (
  args: ReadonlyArray<string>,
  cwd: string,
  conversations: Pick<Conversations, "begin" | "find">,
): Conversation | string => {
  const given = (name: string) => flag(args, name)
  if (given("--output-format") !== "stream-json" || given("--input-format") !== "stream-json") {
    return "Error: this fake speaks stream-json only"
  }
  if (!args.includes("--verbose")) {
    return "Error: When using --print, --output-format=stream-json requires --verbose"
  }
  const resumed = given("--resume")
  if (resumed !== undefined) {
    const known = conversations.find(resumed)
    return known ?? `No conversation found with session ID: ${resumed}`
  }
  const id = given("--session-id") ?? randomUUID()
  return conversations.find(id) === undefined
    ? conversations.begin(id, cwd)
    : `Error: Session ID ${id} is already in use.`
}

const flag = (args: ReadonlyArray<string>, name: string): string | undefined =>
  args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ??
  (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)

const suggestions = (cwd: string): ReadonlyArray<JsonObject> => [
  {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "touch approved *" }],
    behavior: "allow",
    destination: "localSettings",
  },
  { type: "addDirectories", directories: [cwd], destination: "session" },
  { type: "setMode", mode: "acceptEdits", destination: "session" },
]

const tokens = (used: number): JsonObject => ({
  ...{ input_tokens: 11 * used, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  output_tokens: 7 * used,
})

const imagesOf = ({ message }: JsonObject): ReadonlyArray<string> => {
  const content = isObject(message) ? message["content"] : undefined
  if (!Array.isArray(content)) return []
  return content.flatMap(({ source }: JsonObject) => (isObject(source) ? String(source["data"]) : []))
}

const promptOf = ({ message }: JsonObject): string => textOf(isObject(message) ? message["content"] : undefined)

export const agent: Agent = {
  module: import.meta.url,
  command: "claude",
  version: `${tried.join(".")} (Claude Code)`,
  terminated: 143,
  make,
}
