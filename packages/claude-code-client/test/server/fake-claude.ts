/**
 * A `claude -p` that follows its prompts. Node runs it as it is. With `FAKE_OLD` it knows no `--await-initialize`, and
 * does not say which prompt it answers; `FAKE_DROPS` names settings that it does not take.
 *
 * - `say TEXT`, `deltas COUNT`: answers
 * - `earlier`: the prompts of this conversation before this one
 * - `start`: what this process was started with, as JSON
 * - `hang`: works until it is interrupted; `deaf`: and does not hear that
 * - `die`: ends in the middle of the turn, with last words
 * - `leave`: answers, and ends as soon as it gets the next prompt
 * - `ask TOOL INPUT`: asks for approval; the answer is what it was told. An interrupted turn ends when it has been told
 * - `control`: asks something else; the answer is what it was told
 * - `withdraw`: asks for approval, takes the question back, and answers
 * - `garbage`: lines that are no messages, and messages that nobody knows
 * - `retries`: its model cannot be reached
 * - `recovers`: its model cannot be reached at first, and answers, and asks for approval; `recovers slowly`: asks in the
 *   middle of its answer
 * - `tools`: uses a tool that gives much
 * - `unasked`: answers, and then begins a turn of its own, in which it asks for approval; `unasked later`: when the next
 *   prompt has come; `unasked hang`: and works on until it is interrupted; `unasked takes`: and takes that prompt in
 * - `nothing`: asks no model; `nobody`: answers no prompt
 * - `child`: starts a process in a session of its own that stays; the answer is its id
 */
import { spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

const home = process.env["HOME"] ?? "."
const args = process.argv.slice(2)
const argument = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
const resumed = argument("resume")
const session = resumed ?? argument("session-id") ?? "none"
const conversation = join(home, "conversations", session)
mkdirSync(join(home, "conversations"), { recursive: true })
const started = { pid: process.pid, args, cwd: process.cwd() }
appendFileSync(join(home, "starts.jsonl"), `${JSON.stringify(started)}\n`)

const write = (message: object) => process.stdout.write(`${JSON.stringify({ ...message, session_id: session })}\n`)
const control = (response: object) => write({ type: "control_response", response })
const delta = (text: string, parent: string | null = null) =>
  write({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    parent_tool_use_id: parent,
  })
const assistant = (content: ReadonlyArray<object>) =>
  write({ type: "assistant", message: { role: "assistant", content }, parent_tool_use_id: null })
const isOld = process.env["FAKE_OLD"] !== undefined
/** The prompt that the turn under way answers. */
let answered: string | undefined
const about = () => (isOld || answered === undefined ? {} : { user_message_uuids: [answered] })
const capabilities = isOld ? {} : { capabilities: ["request_marker_lists_v1"] }
const init = () => write({ type: "system", subtype: "init", cwd: process.cwd(), ...capabilities, ...about() })
const result = (fields: object) => write({ type: "result", subtype: "success", is_error: false, ...about(), ...fields })
const say = (text: string, fields: object = {}) => {
  assistant([{ type: "text", text }])
  result({ result: text, usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 }, ...fields })
}

if (resumed !== undefined && !existsSync(conversation)) {
  const missing = `No conversation found with session ID: ${resumed}`
  write({ type: "result", subtype: "error_during_execution", is_error: true, errors: [missing] })
  process.stderr.write(`${missing}\n`)
  process.exit(1)
}
if (resumed === undefined && existsSync(conversation)) {
  process.stderr.write(`Error: Session ID ${session} is already in use.\n`)
  process.exit(1)
}

const refuseStart = (lastWords: string): never => {
  process.stderr.write(`${lastWords}\n`)
  process.exit(1)
}
const awaits = args.includes("--await-initialize")
if (awaits && isOld) refuseStart("error: unknown option '--await-initialize'")
if (isOld && argument("system-prompt-snapshot") !== undefined)
  refuseStart("error: unknown option '--system-prompt-snapshot=off'")

interface Settings {
  readonly model?: string
  readonly effortLevel?: string
  readonly agent?: string
  readonly permissions?: object
  readonly env?: Readonly<Record<string, unknown>>
}
const readFrom = (flag: string) => {
  const path = argument(flag)
  return path === undefined ? undefined : readFileSync(path, "utf8")
}
let isFirst = true
let settings: Settings = JSON.parse(readFrom("settings") ?? "{}")
let model: string | undefined
let prompts: object = {
  systemPrompt: readFrom("system-prompt-file"),
  appendSystemPrompt: readFrom("append-system-prompt-file"),
}

/** As the real one: a member of the wrong kind is the end of all, an unknown word only of itself. */
const held = () => {
  const { effortLevel, env, ...rest } = settings
  if (typeof settings.model === "number") {
    const error = { file: "settings.json", path: "model", message: "Expected string, but received number" }
    return { effective: {}, sources: [], errors: [error] }
  }
  const isKnown = effortLevel === undefined || ["low", "medium", "high"].includes(effortLevel)
  const taken = {
    ...rest,
    ...(isKnown && effortLevel !== undefined ? { effortLevel } : {}),
    ...(env === undefined
      ? {}
      : { env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])) }),
    ...Object.fromEntries((process.env["FAKE_DROPS"]?.split(",") ?? []).map((name) => [name, undefined])),
  }
  return { effective: taken, sources: [{ source: "flagSettings", settings: taken }] }
}

/** What a control request is answered with; `undefined` for an interrupt. */
const configure = (request: { readonly subtype: string; readonly [field: string]: unknown }): object | undefined => {
  switch (request.subtype) {
    case "initialize": {
      const { settings: given, subtype: _, ...rest } = request
      if (awaits) {
        if (typeof given !== "object") {
          refuseStart("Error: --initialize-fields=settings requires initialize.settings to be a JSON object.")
        }
        settings = given as Settings
        prompts = rest
      }
      appendFileSync(join(home, "setups.jsonl"), `${JSON.stringify({ settings, ...prompts })}\n`)
      if (settings.env?.["ANTHROPIC_MODEL"] === "none") refuseStart("Error: there is no such model")
      return {
        commands: [],
        agents: [{ name: "claude" }, { name: "reviewer" }],
        ...(awaits ? { settings_applied: true } : {}),
      }
    }
    case "get_settings":
      return held()
    case "apply_flag_settings":
      model = (request["settings"] as Settings).model
      return {}
    default:
      return undefined
  }
}

let questions = 0
let told: ((answer: unknown) => void) | undefined
let promptCame: ((id: string) => void) | undefined
let isDeaf = false
let isLeaving = false
let abort: (() => void) | undefined

const ask = (request: object): Promise<unknown> => {
  write({ type: "control_request", request_id: `question-${++questions}`, request })
  return new Promise((resolve) => {
    told = resolve
  })
}
const hear = (answer: unknown) => {
  const tell = told
  told = undefined
  tell?.(answer)
}
const use = (tool: string, input: object) =>
  ask({
    subtype: "can_use_tool",
    tool_name: tool,
    input,
    permission_suggestions: [
      ...(tool === "Bash"
        ? [{ type: "addRules", behavior: "allow", rules: [{ toolName: tool }], destination: "localSettings" }]
        : []),
      { type: "setMode", mode: "acceptEdits", destination: "session" },
    ],
  })

const acts: Readonly<Record<string, (rest: string, earlier: ReadonlyArray<string>) => unknown>> = {
  say: (text) => {
    delta(text)
    delta("of somebody else", "toolu_parent")
    say(text)
  },
  deltas: (count) => {
    for (let at = 0; at < Number(count); at++) delta(`${at} `)
    say("all")
  },
  earlier: (_, earlier) => say(JSON.stringify(earlier)),
  start: () => say(JSON.stringify({ ...started, model: model ?? settings.env?.["ANTHROPIC_MODEL"] })),
  hang: () => delta("at work"),
  deaf: () => {
    isDeaf = true
    delta("at work")
  },
  die: () => {
    delta("at work")
    process.stderr.write("these are my last words\n")
    process.exitCode = 7
    setImmediate(() => process.exit())
  },
  leave: () => {
    isLeaving = true
    say("farewell")
  },
  ask: async (rest) => {
    const [tool = "", input = "{}"] = rest.split(/ (.*)/s)
    say(JSON.stringify(await use(tool, JSON.parse(input))))
  },
  control: async () => say(JSON.stringify(await ask({ subtype: "hook_callback" }))),
  withdraw: () => {
    void use("Bash", { command: "ls" })
    write({ type: "control_cancel_request", request_id: `question-${questions}` })
    say("withdrawn")
  },
  garbage: () => {
    process.stdout.write('no json\n\n[]\nnull\n{"type":1}\n{"type":"assistant","message":7}\n{"unfinished\n')
    write({ type: "user", message: { content: [{ type: "tool_result" }, 7, null] } })
    write({ type: "news", about: "something" })
    say("still here")
  },
  retries: () => {
    write({ type: "system", subtype: "api_retry", attempt: 1, error: "server_error", error_status: 500 })
    write({ type: "system", subtype: "api_retry", attempt: 2, error: "overloaded", error_status: 529 })
  },
  recovers: async (how) => {
    write({ type: "system", subtype: "api_retry", attempt: 1, error: "server_error", error_status: 500 })
    if (how === "slowly") delta("here I")
    else assistant([{ type: "text", text: "here I am" }])
    say(JSON.stringify(await use("Bash", { command: "ls" })))
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
    say("used")
  },
  unasked: async (when) => {
    const prompted = new Promise<string>((resolve) => {
      promptCame = resolve
    })
    say("asked")
    answered = undefined
    if (when === "takes") {
      init()
      answered = await prompted
      waiting.delete(answered)
      return say("taken in")
    }
    if (when === "later") await prompted
    init()
    delta("unasked")
    if (when === "hang") await new Promise(() => {})
    const answer = await use("Bash", { command: "ls" })
    writeFileSync(join(home, "unasked.json"), JSON.stringify(answer))
    say("unasked", { origin: { kind: "task-notification" } })
  },
  nothing: () => result({ result: "", num_turns: 0 }),
  nobody: () => {
    answered = undefined
    say("of no prompt")
  },
  child: () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
    say(String(child.pid))
  },
}

/** Prompts whose turn has not begun. */
const waiting = new Set<string>()

const turn = async (prompt: string, id: string) => {
  if (!waiting.delete(id)) return
  if (isLeaving) process.exit(0)
  answered = id
  write({ type: "command_lifecycle", command_uuid: id, state: "started" })
  const earlier: ReadonlyArray<string> = existsSync(conversation) ? JSON.parse(readFileSync(conversation, "utf8")) : []
  // It may be killed at any moment.
  writeFileSync(`${conversation}.new`, JSON.stringify([...earlier, prompt]))
  renameSync(`${conversation}.new`, conversation)
  init()
  const [act = "", rest = ""] = prompt.split(/ (.*)/s)
  const aborted = new Promise<void>((resolve) => {
    abort = resolve
  })
  const work = Promise.resolve(acts[act]?.(rest, earlier)).then(() =>
    ["hang", "deaf", "retries"].includes(act) ? aborted : undefined,
  )
  await Promise.race([work, aborted])
  abort = undefined
}

let queue = Promise.resolve()
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line)
    if (isFirst && awaits && message.request?.subtype !== "initialize") {
      refuseStart("Error: --await-initialize requires the initialize control request as the first stdin line")
    }
    isFirst = false
    const answer = message.type === "control_request" ? configure(message.request) : undefined
    if (answer !== undefined) {
      control({ subtype: "success", request_id: message.request_id, response: answer })
      return
    }
    if (message.type === "user") promptCame?.(message.uuid)
    if (message.type === "user") waiting.add(message.uuid)
    if (message.type === "user") queue = queue.then(() => turn(message.message.content, message.uuid))
    if (message.type === "control_response") hear(message.response)
    if (message.type === "control_request") appendFileSync(join(home, "interrupts"), "one\n")
    if (message.type === "control_request" && !isDeaf) {
      control({ subtype: "success", request_id: message.request_id, response: { still_queued: [] } })
      for (const id of message.request.cancel_queued === true && !isOld ? waiting : []) {
        waiting.delete(id)
        write({ type: "command_lifecycle", command_uuid: id, state: "cancelled" })
      }
      if (abort === undefined) return
      const end = () => {
        told = undefined
        abort?.()
        result({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming", errors: [] })
      }
      if (told === undefined) end()
      else told = end
    }
  })
  .on("close", () => {
    if (abort === undefined) process.exit(0)
  })
