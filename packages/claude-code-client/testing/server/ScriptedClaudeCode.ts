/**
 * The fake `claude -p` with scripts as prompts. With `FAKE_OLD` it does not know `--await-initialize`, and does not report the
 * prompts of a turn; `FAKE_DROPS` names settings that it does not accept.
 *
 * - `say TEXT`, `deltas COUNT`: answers
 * - `earlier`: answers with the earlier prompts of this conversation
 * - `start`: answers with the arguments and settings of this process, as JSON
 * - `hang`: runs until it is interrupted; `deaf`: ignores the interrupt
 * - `die`: exits during the turn, with stderr output
 * - `leave`: answers, and exits with the next prompt; `leave late`: reports the completion of the previous prompt first
 * - `ask TOOL INPUT`: requests an approval; the answer is the response. An interrupted turn ends after the response
 * - `mcp MESSAGE`: sends a message to the host's MCP server; the answer is the response
 * - `control REQUEST`: sends another request; the answer is the response
 * - `withdraw`: requests an approval, withdraws it, and answers
 * - `garbage`: writes invalid lines, and unknown messages
 * - `retries`: cannot reach its model
 * - `recovers`: cannot reach its model at first, then answers, and requests an approval; `recovers slowly`: requests it during
 *   its answer
 * - `tools`: uses a tool with a long output
 * - `unasked`: answers, then starts a turn itself, in which it requests an approval; `unasked later`: after the next prompt;
 *   `unasked hang`: runs until it is interrupted; `unasked takes`: accepts that prompt in its turn
 * - `nothing`: does not use its model; `unanswered`: answers no prompt; `silent`: writes nothing
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import {
  type Agent,
  isObject,
  type JsonObject,
  never,
  type Place,
  type RunningAgent,
} from "@zain/contract-tests/FakeDialect"
import type { Self } from "../../../../contract-tests/testing/InProcess.ts"

interface Settings {
  readonly env?: Readonly<Record<string, unknown>>
}

const make = (place: Place, self: Self = process): RunningAgent => {
  const { FAKE_DROPS: drops, FAKE_OLD, HOME: home = "." } = self.env
  const isOld = FAKE_OLD !== undefined
  const { args, cwd } = place
  const argument = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const readFrom = (flag: string) => {
    const path = argument(flag)
    return path === undefined ? undefined : readFileSync(path, "utf8")
  }
  const log = (name: string, entry: object) => appendFileSync(join(home, name), `${JSON.stringify(entry)}\n`)
  const started = { pid: self.pid, args, cwd }
  log("starts.jsonl", started)
  const awaits = args.includes("--await-initialize")
  const unknown = args.find((arg) => isOld && /^--(?:await-initialize|system-prompt-snapshot)/.test(arg))
  if (unknown !== undefined) {
    place.leave(1, `error: unknown option '${unknown}'`)
    return { receive: () => {}, inputEnded: () => {} }
  }

  let settings: Settings = JSON.parse(readFrom("settings") ?? "{}")
  let model: unknown
  let initializing: unknown
  let toolServer: unknown
  /** The prompt of the running turn. */
  let answered: string | undefined
  /** Additional members of the turn's result. */
  let fields: JsonObject = {}
  let questions = 0
  let waiting: ((answer: unknown) => void) | undefined
  let promptCame: ((id: string) => void) | undefined
  let takesPrompt = false
  let isDeaf = false
  let leaving: string | undefined
  let hasLeft = false

  const about = () => (isOld || answered === undefined ? {} : { user_message_uuids: [answered] })
  const write = (message: JsonObject) =>
    place.send({ ...message, session_id: argument("resume") ?? argument("session-id") })
  const control = (request_id: unknown, response: JsonObject) =>
    write({ type: "control_response", response: { subtype: "success", request_id, response } })
  const delta = (text: string, parent_tool_use_id: string | null = null) => {
    const event = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }
    write({ type: "stream_event", event, parent_tool_use_id })
  }
  const assistant = (content: ReadonlyArray<object>) =>
    write({ type: "assistant", message: { role: "assistant", content }, parent_tool_use_id: null })
  const init = () => write({ type: "system", subtype: "init", cwd, ...capabilities(isOld), ...about() })
  const say = (text: string, more: object = {}): JsonObject => {
    assistant([{ type: "text", text }])
    return { result: text, usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 }, ...more }
  }
  const retry = (attempt: number, error: string, error_status: number) =>
    write({ type: "system", subtype: "api_retry", attempt, error, error_status })
  const ask = (request: object): Promise<unknown> => {
    write({ type: "control_request", request_id: `question-${++questions}`, request })
    return new Promise((resolve) => {
      waiting = resolve
    })
  }
  const use = (tool_name: string, input: object) => {
    const rule = { type: "addRules", behavior: "allow", rules: [{ toolName: tool_name }], destination: "localSettings" }
    const mode = { type: "setMode", mode: "acceptEdits", destination: "session" }
    const permission_suggestions = tool_name === "Bash" ? [rule, mode] : [mode]
    return ask({ subtype: "can_use_tool", tool_name, input, permission_suggestions })
  }

  const acts: Readonly<
    Record<string, (rest: string, earlier: ReadonlyArray<string>) => JsonObject | Promise<JsonObject>>
  > = {
    say: (text) => {
      delta(text)
      delta("of somebody else", "toolu_parent")
      return say(text)
    },
    deltas: (count) => {
      for (let at = 0; at < Number(count); at++) delta(`${at} `)
      return say("all")
    },
    earlier: (_, earlier) => say(JSON.stringify(earlier)),
    start: () => say(JSON.stringify({ ...started, model: model ?? settings.env?.["ANTHROPIC_MODEL"] })),
    hang: () => {
      delta("at work")
      return never
    },
    deaf: () => {
      isDeaf = true
      delta("at work")
      return never
    },
    die: () => {
      delta("at work")
      self.stderr.write("these are my last words\n")
      setImmediate(() => self.exit(7))
      return never
    },
    leave: (how) => {
      leaving = how
      return say("farewell")
    },
    ask: async (rest) => {
      const [tool = "", input = "{}"] = rest.split(/ (.*)/s)
      return say(JSON.stringify(await use(tool, JSON.parse(input))))
    },
    mcp: async (message) => {
      const request = { subtype: "mcp_message", server_name: toolServer, message: JSON.parse(message) }
      return say(JSON.stringify(await ask(request)))
    },
    control: async (request) => say(JSON.stringify(await ask(JSON.parse(request || '{"subtype":"hook_callback"}')))),
    withdraw: () => {
      void use("Bash", { command: "ls" })
      write({ type: "control_cancel_request", request_id: `question-${questions}` })
      return say("withdrawn")
    },
    garbage: () => {
      self.stdout.write('no json\n\n[]\nnull\n{"type":1}\n{"type":"assistant","message":7}\n{"unfinished\n')
      write({ type: "user", message: { content: [{ type: "tool_result" }, 7, null] } })
      write({ type: "news", about: "something" })
      return say("still here")
    },
    retries: () => {
      retry(1, "server_error", 500)
      retry(2, "overloaded", 529)
      return never
    },
    recovers: async (how) => {
      retry(1, "server_error", 500)
      if (how === "slowly") delta("here I")
      else assistant([{ type: "text", text: "here I am" }])
      return say(JSON.stringify(await use("Bash", { command: "ls" })))
    },
    tools: () => {
      assistant([
        { type: "tool_use", id: "t1", name: "Bash", input: { command: "cat big" } },
        { type: "tool_use", id: "t2", name: "Read", input: { file_path: "/there" } },
      ])
      const content = [
        { type: "tool_result", tool_use_id: "t1", content: "ä".repeat(40_000) },
        { type: "tool_result", tool_use_id: "t2", is_error: true, content: [{ type: "text", text: "none" }] },
      ]
      write({ type: "user", message: { content }, parent_tool_use_id: null })
      return say("used")
    },
    unasked: async (when) => {
      const prompted = new Promise<string>((resolve) => {
        promptCame = resolve
      })
      takesPrompt = when === "takes"
      write({ type: "result", subtype: "success", is_error: false, ...about(), ...say("asked") })
      answered = undefined
      if (takesPrompt) {
        init()
        answered = await prompted
        takesPrompt = false
        return say("taken in")
      }
      if (when === "later") await prompted
      init()
      delta("unasked")
      if (when === "hang") await never
      const answer = await use("Bash", { command: "ls" })
      writeFileSync(join(home, "unasked.json"), JSON.stringify(answer))
      return say("unasked", { origin: { kind: "task-notification" } })
    },
    nothing: () => ({ result: "", num_turns: 0 }),
    unanswered: () => {
      answered = undefined
      return say("of no prompt")
    },
  }

  const decide = async (prompts: ReadonlyArray<string>): Promise<undefined> => {
    const [act = "", rest = ""] = prompts.at(-1)?.split(/ (.*)/s) ?? []
    fields = (await acts[act]?.(rest, prompts.slice(0, -1))) ?? {}
  }

  /** As Claude Code: the values of variables are texts. */
  const held = (): JsonObject => {
    const { env, ...rest } = settings
    const texts = Object.entries(env ?? {}).map(([key, value]) => [key, String(value)])
    const taken = {
      ...rest,
      ...(env === undefined ? {} : { env: Object.fromEntries(texts) }),
      ...Object.fromEntries((drops?.split(",") ?? []).map((name) => [name, undefined])),
    }
    return { effective: taken, sources: [{ source: "flagSettings", settings: taken }] }
  }

  const send = (message: JsonObject) => {
    const { response, state, subtype, type, user_message_uuids: _, ...rest } = message
    if (subtype === "status" || state === "queued" || state === "completed" || state === "running") return
    if (state === "started") answered = String(message["command_uuid"])
    if (subtype === "init") return write({ ...rest, type, subtype, ...capabilities(isOld), ...about() })
    if (type === "result") {
      const beside = subtype === "success" ? fields : {}
      fields = {}
      return write({ ...rest, type, subtype, ...about(), ...beside })
    }
    const isInitialized =
      isObject(response) && response["request_id"] === initializing && isObject(response["response"])
    if (!isInitialized) return place.send(message)
    control(initializing, {
      ...(response["response"] as JsonObject),
      agents: [{ name: "claude" }, { name: "reviewer" }],
    })
  }
  const leave: Place["leave"] = (status, lastWords) => {
    hasLeft = true
    place.leave(status, lastWords)
  }
  const agent = fakeClaudeCode.agent.make({ ...place, decide, leave, send })

  const controlled = (message: JsonObject, request: JsonObject) => {
    const { request_id } = message
    switch (request["subtype"]) {
      case "initialize": {
        const { settings: given, subtype: _, ...prompts } = request
        if (awaits && isObject(given)) settings = given
        const [systemPrompt, appendSystemPrompt] = [
          readFrom("system-prompt-file"),
          readFrom("append-system-prompt-file"),
        ]
        log("setups.jsonl", { settings, ...(awaits ? prompts : { systemPrompt, appendSystemPrompt }) })
        if (settings.env?.["ANTHROPIC_MODEL"] === "none") return leave(1, "Error: there is no such model")
        initializing = request_id
        toolServer = Array.isArray(request["sdkMcpServers"]) ? request["sdkMcpServers"][0] : undefined
        return agent.receive(message)
      }
      case "get_settings":
        return control(request_id, held())
      case "apply_flag_settings":
        if (isObject(request["settings"]) && typeof request["settings"]["model"] === "string") {
          model = request["settings"]["model"]
        }
        return agent.receive(message)
      default: {
        appendFileSync(join(home, "interrupts"), "one\n")
        const end = () =>
          agent.receive({ ...message, request: { ...request, ...(isOld ? { cancel_queued: false } : {}) } })
        if (isDeaf) return
        if (waiting === undefined) end()
        else waiting = end
      }
    }
  }

  return {
    inputEnded: agent.inputEnded,
    receive: (message) => {
      const { request, response, type, uuid } = message
      if (hasLeft) return
      if (type === "user") {
        if (leaving === "late") {
          self.stdout.write(
            `${JSON.stringify({ type: "command_lifecycle", state: "completed", command_uuid: answered })}\n`,
          )
        }
        if (leaving !== undefined) return self.exit(0)
        if (JSON.stringify(message).includes('"silent"')) return
        promptCame?.(String(uuid))
        if (takesPrompt) return
      }
      if (type === "control_response" && isObject(response) && /^question-/.test(String(response["request_id"]))) {
        const tell = waiting
        waiting = undefined
        return tell?.(response)
      }
      if (type === "control_request" && isObject(request)) return controlled(message, request)
      agent.receive(message)
    },
  }
}

const capabilities = (isOld: boolean) => ({ capabilities: isOld ? [] : ["request_marker_lists_v1"] })

export const agent = { ...fakeClaudeCode.agent, module: import.meta.url, make } satisfies Agent
