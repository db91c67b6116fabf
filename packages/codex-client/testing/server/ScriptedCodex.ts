/**
 * The fake app-server with scripts as prompts: a JSON array of steps, run one after the other. It logs the messages that it
 * receives in $FAKE_HOME. Steps:
 *
 * - `{"event": method, "params": {…}}`: sends a notification of the thread and the turn, whose id is also "root"
 * - `{"deltas": count}`: sends this many pieces of text, "0 ", "1 ", …
 * - `{"message": text}`: sends a message of the agent
 * - `{"ask": method, "params": {…}}`: sends a request, and a message with its response
 * - `{"askUnheard": method, "params": {…}}`: sends a request, and continues
 * - `{"line": text}`: writes a line of output unchanged
 * - `{"await": name}`, `{"open": name}`: a gate between threads; "steer" opens with the first turn/steer
 * - `{"spawn": id}`: starts a child that stays, as the process of a command; its pid becomes a message
 * - `{"hang": true}`: runs until it is interrupted. `deaf`: interrupts are answered without an effect
 * - `{"die": code}`: exits, with stderr output
 * - `{"end": {…}}`: end of the turn instead of "completed"
 *
 * A prompt that starts with "early " sends the start of the turn before its response; "late " refuses the first interrupt;
 * "nameless " is accepted without the turn's id; "refused " is refused; "put-away " is refused once, as a thread that is not loaded. "unheard " exits before it accepts the
 * prompt, and "kept " after the thread has stored it, both without output and once; "cursed " exits like "unheard ", every
 * time. $FAKE_DIES names a method at which it exits once, $FAKE_SILENT those that it does not answer once each, $FAKE_NO_TURNS hides its turns, $FAKE_CONFIG
 * is the user's configuration or the error of reading it, $FAKE_TRUSTED the directory whose repository applies, $FAKE_ACCOUNT the result of
 * account/read, $FAKE_REFUSES the reason why no thread is resumed, $FAKE_TERMINALS the background commands, $FAKE_BLOCKS a
 * directory that becomes a file when a thread starts, and with $FAKE_HOLDS no thread is unloaded.
 */
import { spawn } from "node:child_process"
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fakeCodex } from "@zain/codex-client/fake"
import {
  type Agent,
  isObject,
  type JsonObject,
  never,
  type Place,
  type RunningAgent,
  textOf,
} from "@zain/contract-tests/FakeDialect"
import type { Self } from "../../../../contract-tests/testing/InProcess.ts"

interface Step {
  readonly event?: string
  readonly params?: JsonObject
  readonly deltas?: number
  readonly message?: string
  readonly ask?: string
  readonly askUnheard?: string
  readonly line?: string
  readonly await?: string
  readonly open?: string
  readonly spawn?: string
  readonly hang?: true
  readonly deaf?: true
  readonly die?: number
  readonly end?: JsonObject
}

interface Turn {
  readonly threadId: unknown
  readonly turnId: unknown
  end?: JsonObject
  isDeaf?: boolean
  isLate?: boolean
}

const make = (place: Place, self: Self = process): RunningAgent => {
  const { FAKE_HOME: home = ".", ...env } = self.env
  const own = JSON.parse(env["FAKE_CONFIG"] ?? "{}")
  const fileOf = (threadId: unknown) => join(home, `${threadId}.thread`)
  const given = (threadId: unknown) => JSON.parse(readFileSync(fileOf(threadId), "utf8"))
  /** Whether an event occurs for the first time in this home. */
  const isFirst = (what: string) => {
    if (existsSync(join(home, what))) return false
    writeFileSync(join(home, what), "")
    return true
  }
  const note = (what: object) =>
    appendFileSync(join(home, "heard.jsonl"), `${JSON.stringify({ pid: self.pid, ...what })}\n`)

  const turns = new Map<unknown, Turn>()
  /** Running turns of sub-agents, and their threads. They end with the turn of their script. */
  const subs = new Map<unknown, unknown>()
  let terminals: ReadonlyArray<JsonObject> = JSON.parse(env["FAKE_TERMINALS"] ?? "[]")
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const asked = new Map<unknown, (answer: unknown) => void>()
  const requests = new Map<unknown, JsonObject>()
  let begun: Turn | undefined
  let ids = 0

  const gate = (name: string) => {
    const one = gates.get(name) ?? Promise.withResolvers<void>()
    gates.set(name, one)
    return one
  }

  const completed = (threadId: unknown, id: unknown) =>
    place.send({ method: "turn/completed", params: { threadId, turn: { id, status: "completed" } } })

  const take = async (turn: Turn, step: Step) => {
    const { threadId, turnId } = turn
    const say = (method: string, given: object = {}) => {
      const params = JSON.parse(JSON.stringify({ threadId, turnId, ...given }).replaceAll('"root"', `"${turnId}"`))
      if (method === "turn/started" && params.threadId !== threadId) subs.set(params.turn.id, params.threadId)
      if (method === "turn/completed") subs.delete(params.turn.id)
      place.send({ method, params })
    }
    const message = (text: string) =>
      say("item/completed", { item: { type: "agentMessage", id: `item-${++ids}`, text } })
    const ask = (method: string) =>
      new Promise<unknown>((resolve) => {
        const id = `ask-${asked.size + 1}`
        asked.set(id, resolve)
        place.send({ id, method, params: { threadId, turnId, ...step.params } })
      })
    if (step.event) say(step.event, step.params)
    for (let at = 0; at < (step.deltas ?? 0); at++) say("item/agentMessage/delta", { itemId: "m", delta: `${at} ` })
    if (step.message !== undefined) message(step.message)
    if (step.ask) message(JSON.stringify(await ask(step.ask)))
    if (step.askUnheard) void ask(step.askUnheard)
    if (step.line) self.stdout.write(`${step.line}\n`)
    if (step.await) await gate(step.await).promise
    if (step.open) gate(step.open).resolve()
    if (step.spawn !== undefined) {
      const names = { CODEX_THREAD_ID: String(threadId), CODEX_TOOL_CALL_ID: step.spawn }
      message(String(spawn("sleep", ["1000"], { stdio: "ignore", env: { ...self.env, ...names } }).pid))
    }
    if (step.end) turn.end = step.end
    if (step.die !== undefined) {
      self.stderr.write("these are my last words\n")
      self.exit(step.die)
      await never
    }
    if (step.hang) {
      turn.isDeaf = step.deaf === true
      await never
    }
  }

  const play = async (prompt: string): Promise<undefined> => {
    const turn = begun
    const { how, script } = read(prompt)
    if (turn === undefined) return
    turn.isLate = how === "late"
    for (const step of JSON.parse(script)) {
      if (turns.get(turn.threadId) !== turn) return
      await take(turn, step)
    }
  }

  /** The sandbox of a thread, as Codex reports it. */
  const settled = (result: JsonObject, params: JsonObject): JsonObject => {
    const thread = isObject(result["thread"]) ? result["thread"] : {}
    if (params["threadId"] === undefined) writeFileSync(fileOf(thread["id"]), JSON.stringify(params))
    const {
      config = {},
      cwd = place.cwd,
      sandbox = own.sandbox_mode ?? "read-only",
    } = {
      ...given(thread["id"]),
      ...params,
    }
    const { writable_roots: writable = [] } = config.sandbox_workspace_write ?? own.sandbox_workspace_write ?? {}
    const type = sandbox.replace(/-(.)/g, (_: string, letter: string) => letter.toUpperCase())
    const policy = type === "workspaceWrite" ? { type, writableRoots: writable } : { type }
    const modelProvider = config.model_provider ?? own.model_provider ?? "fake"
    return { ...result, modelProvider, cwd, runtimeWorkspaceRoots: [cwd, ...writable], sandbox: policy }
  }

  const send = (message: JsonObject) => {
    const { id, method, result } = message
    const params = isObject(message["params"]) ? message["params"] : {}
    const { item, threadId, turn } = params
    if (method === "thread/status/changed" || (isObject(item) && item["type"] === "userMessage")) return
    if (method === "thread/closed" && env["FAKE_HOLDS"]) return
    if (method === "turn/started" && isObject(turn)) {
      begun = { threadId, turnId: turn["id"] }
      turns.set(threadId, begun)
    }
    if (method === "turn/completed" && isObject(turn)) {
      const end = turns.get(threadId)?.end
      turns.delete(threadId)
      place.send({ ...message, params: { ...params, turn: { ...turn, ...end } } })
      if (turn["status"] === "interrupted") return
      for (const [id, of] of subs) completed(of, id)
      return subs.clear()
    }
    const request = requests.get(id)
    if (method !== undefined || request === undefined || !isObject(result)) return place.send(message)
    requests.delete(id)
    const asked = request["params"] as JsonObject
    const isSettling = request["method"] === "thread/start" || request["method"] === "thread/resume"
    if (isSettling) return place.send({ id, result: settled(result, asked) })
    const { how } = read(textOf(asked["input"]))
    if (how === "nameless") return place.send({ id, result: { turn: {} } })
    if (how === "early") return void setImmediate(() => place.send(message))
    place.send(message)
  }

  const conversations: Place["conversations"] = {
    ...place.conversations,
    // A thread exists from its start on.
    find: (id) =>
      place.conversations.find(id) ??
      (existsSync(fileOf(id)) ? place.conversations.begin(id, given(id).cwd ?? place.cwd) : undefined),
  }
  const exit = (code: number) => {
    self.exit(code)
    return "exited" as const
  }
  const agent = fakeCodex.agent.make({ ...place, conversations, decide: (prompts) => play(prompts.at(-1) ?? ""), send })

  const answers: Readonly<Record<string, (params: JsonObject) => JsonObject | "its own" | "exited">> = {
    "thread/start": () => {
      const blocked = env["FAKE_BLOCKS"]
      if (blocked !== undefined) rmSync(blocked, { recursive: true })
      if (blocked !== undefined) writeFileSync(blocked, "")
      return "its own"
    },
    "thread/resume": ({ threadId }) => {
      if (env["FAKE_REFUSES"]) return error(env["FAKE_REFUSES"])
      return existsSync(fileOf(threadId)) ? "its own" : error(`no rollout found for thread id ${threadId}`)
    },
    "account/read": () => ({ result: JSON.parse(env["FAKE_ACCOUNT"] ?? '{"account":{}}') }),
    "config/read": ({ cwd }) => {
      if (typeof own === "string") return error(own)
      const layer = (disabledReason: unknown) => ({ name: { type: "project" }, config: {}, disabledReason })
      const isTrusted = cwd !== undefined && cwd === env["FAKE_TRUSTED"]
      return { result: { config: own, layers: [{ name: { type: "user" } }, layer(isTrusted ? null : "not trusted")] } }
    },
    "thread/loaded/list": () => ({ result: { data: [], nextCursor: null } }),
    "thread/turns/list": () => (env["FAKE_NO_TURNS"] ? error("unknown variant `thread/turns/list`") : "its own"),
    "turn/start": ({ clientUserMessageId, input, threadId }) => {
      const { how } = read(textOf(input))
      if (how === "cursed" || (how === "unheard" && isFirst(how))) return exit(9)
      if (how === "kept" && isFirst(how)) {
        conversations.find(String(threadId))?.hear(textOf(input), String(clientUserMessageId))
        return exit(9)
      }
      if (how === "refused") return error("not today")
      if (how === "put-away" && isFirst(how)) return error(`thread not found: ${threadId}`)
      return turns.has(threadId) ? error("two turns of a thread at once") : "its own"
    },
    "turn/interrupt": ({ threadId, turnId }) => {
      const turn = turns.get(threadId)
      if (String(turnId).startsWith("sub-")) {
        if (turnId === "sub-late" && isFirst("late")) return error("no active turn to interrupt")
        subs.delete(turnId)
        completed(threadId, turnId)
        return { result: {} }
      }
      if (turn?.isLate === true) {
        turn.isLate = false
        return error("no active turn to interrupt")
      }
      return turn?.isDeaf === true ? { result: {} } : "its own"
    },
    "turn/steer": ({ expectedTurnId }) => {
      gate("steer").resolve()
      return { result: { turnId: expectedTurnId } }
    },
    "thread/backgroundTerminals/list": () => ({ result: { data: terminals, nextCursor: null } }),
    "thread/backgroundTerminals/terminate": ({ processId, threadId }) => {
      const { turnId } = terminals.find((one) => one["processId"] === processId) ?? {}
      terminals = terminals.filter((one) => one["processId"] !== processId)
      const item = { type: "commandExecution", id: processId, status: "failed", exitCode: -1 }
      setTimeout(() => place.send({ method: "item/completed", params: { threadId, turnId, item } }), 50)
      return { result: { terminated: true } }
    },
  }

  note({ started: true, args: place.args })
  return {
    inputEnded: agent.inputEnded,
    receive: (message) => {
      note(message)
      const { id, method, params } = message
      if (method === undefined) return asked.get(id)?.(message["result"] ?? message["error"])
      if (method === env["FAKE_DIES"] && isFirst("dies")) return self.exit(9)
      const isSilent = env["FAKE_SILENT"]?.split(" ").includes(String(method)) === true
      if (isSilent && isFirst(`silent-${String(method).replace("/", "-")}`)) return
      const answer = answers[String(method)]?.(isObject(params) ? params : {}) ?? "its own"
      if (answer === "exited") return
      if (answer !== "its own") return place.send({ id, ...answer })
      requests.set(id, message)
      agent.receive(message)
    },
  }
}

const error = (message: string) => ({ error: { code: -32600, message } })

const read = (prompt: string) => {
  const [, how, script = ""] = /^(early|late|nameless|refused|put-away|unheard|kept|cursed)? ?(.*)$/s.exec(prompt) ?? []
  return { how, script }
}

export const agent = { ...fakeCodex.agent, module: import.meta.url, make } satisfies Agent
