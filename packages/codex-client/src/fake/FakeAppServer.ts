/**
 * A fake `codex app-server`.
 *
 * @see Codex 0.169.0: measured
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import {
  type Agent,
  type Conversation,
  isObject,
  type JsonObject,
  never,
  type Place,
  type RunningAgent,
  type Stored,
  textOf,
} from "@zain/contract-tests/FakeDialect"
import { tried } from "../native/CodexVersion.ts"

const version = tried.join(".")

/** The response to a request. */
type Reply = { readonly result: JsonObject } | { readonly error: { readonly code: number; readonly message: string } }

const refusal = (message: string): Reply => ({ error: { code: -32600, message } })

/** `tools`: the dynamic tools of its start by their namespaces; a resumed thread has them too, and they are not known here. `model`: of the next turn. `usage`: the thread's tokens so far. `interrupt`: ends the running turn. `steer`: adds a message of the user to it. */
interface Thread {
  readonly conversation: Conversation
  tools: ReadonlyMap<unknown, unknown> | undefined
  model: string
  used: number
  turnId: string | undefined
  interrupt: () => void
  steer: (words: string, clientId: unknown) => void
}

/** Open requests of the agent. */
interface Question {
  readonly threadId: unknown
  readonly turnId: unknown
  readonly resolve: (answer: JsonObject) => void
}

/** How a turn ended. */
type Ending =
  | { readonly status: "completed"; readonly text: string }
  | { readonly status: "failed"; readonly reason: string; readonly info: string }
  | { readonly status: "interrupted" }

/** How long a turn waits for a steer after a decline, in milliseconds. It may never come. */
const steerTimeoutMillis = 1_000

const command = "/bin/bash -lc 'touch approved'"
const commandActions = [{ type: "unknown", command: "touch approved" }]

/** Starts an app-server. Its threads outlive it. */
const make = ({ args, conversations, crash, cwd, decide, leave, saw, send }: Place): RunningAgent => {
  if (!args.includes("app-server")) leave(2, "error: this fake is an app-server only")
  const threads = new Map<string, Thread>()
  const asked = new Map<unknown, Question>()
  let initialized = false
  let questions = 0
  let turns = 0

  const notify = (method: string, params: JsonObject) => send({ method, params, emittedAtMs: Date.now() })

  const know = (conversation: Conversation): Thread => {
    const thread: Thread = {
      conversation,
      tools: undefined,
      model: "fake-model",
      used: 0,
      turnId: undefined,
      interrupt: () => {},
      steer: () => {},
    }
    threads.set(conversation.id, thread)
    return thread
  }

  const settings = (thread: JsonObject, params: JsonObject): JsonObject => ({
    thread,
    model: params["model"] ?? "fake-model",
    modelProvider: "fake",
    cwd: thread["cwd"],
    approvalPolicy: params["approvalPolicy"] ?? "on-request",
    approvalsReviewer: "user",
    sandbox: { type: "readOnly", networkAccess: false },
    reasoningEffort: null,
  })

  const ask = (method: string, params: JsonObject) =>
    new Promise<JsonObject>((resolve) => {
      const id = questions++
      asked.set(id, { threadId: params["threadId"], turnId: params["turnId"], resolve })
      send({ method, id, params })
    })

  const resolved = (id: unknown, threadId: unknown) => {
    asked.delete(id)
    notify("serverRequest/resolved", { threadId, requestId: id })
  }

  /** @param root the turn that a sub-agent works for */
  const take = async (thread: Thread, turnId: string, next: () => ReturnType<Place["decide"]>, root = turnId) => {
    const threadId = thread.conversation.id
    const tell = (method: string, params: JsonObject) => notify(method, { threadId, turnId, ...params })
    const item = (what: "started" | "completed", about: JsonObject) =>
      tell(`item/${what}`, { item: about, [`${what}AtMs`]: Date.now() })
    const prompt = userMessage(thread.conversation)

    const say = (text: string, pieces: ReadonlyArray<string>): Ending => {
      const message = { type: "agentMessage", id: `msg_${randomUUID()}`, text: "", phase: null }
      item("started", message)
      for (const delta of pieces) tell("item/agentMessage/delta", { itemId: message.id, delta })
      item("completed", { ...message, text })
      thread.conversation.say(text)
      thread.used += 1
      tell("thread/tokenUsage/updated", {
        tokenUsage: { total: tokens(thread.used), last: tokens(1), modelContextWindow: 258_400 },
      })
      return { status: "completed", text }
    }

    const runCommand = () => {
      const execution = {
        ...{ type: "commandExecution", command, cwd: thread.conversation.cwd },
        ...{ processId: null, source: "agent", commandActions, aggregatedOutput: null, exitCode: null },
        durationMs: null,
      }
      const outcome = { exitCode: 0, durationMs: 1, aggregatedOutput: "" }
      return approve("item/commandExecution/requestApproval", execution, outcome, {
        ...{ kind: "command", environmentId: "local", reason: "the script asks", command, commandActions },
        ...{ proposedExecpolicyAmendment: ["touch", "approved"], availableDecisions: ["accept", "cancel"] },
        cwd: thread.conversation.cwd,
      })
    }
    const changeFile = (text: string) => {
      const path = `${thread.conversation.cwd}/changed.txt`
      const changes = [{ path, kind: { type: "add" }, diff: `${text}\n` }]
      const asking = { reason: null, grantRoot: null }
      return approve("item/fileChange/requestApproval", { type: "fileChange", changes }, {}, asking)
    }

    /** Starts a sub-agent that asks for an approval. It works on while this thread's turn ends. */
    const spawn = () => {
      const sub = know(conversations.begin(randomUUID(), thread.conversation.cwd))
      const call = {
        ...{ type: "collabAgentToolCall", id: `call_${randomUUID()}`, tool: "spawnAgent", senderThreadId: threadId },
        ...{ prompt: "Work on.", model: "fake-model", reasoningEffort: null, agentsStates: {} },
      }
      item("started", { ...call, receiverThreadIds: [], status: "inProgress" })
      item("completed", { ...call, receiverThreadIds: [sub.conversation.id], status: "completed" })
      sub.turnId = `turn-${++turns}`
      void take(sub, sub.turnId, async () => ({ _tag: "Approve" }), turnId)
    }

    /** How many texts of the user's the model has not read, and what wakes a model that hangs. */
    let unread = 0
    let wake = () => {}
    let explain = (_words: string) => {}
    thread.steer = (words, clientId) => {
      if (typeof clientId !== "string") return explain(words)
      thread.conversation.hear(words, clientId)
      for (const what of ["started", "completed"] as const) item(what, userMessage(thread.conversation))
      saw({ what: "received", prompt: ContractScript.received(words, [], undefined, thread.model) })
      unread++
      wake()
    }

    const approve = async (method: string, about: JsonObject, ran: JsonObject, asking: JsonObject): Promise<Ending> => {
      const started = { ...about, id: `call_${randomUUID()}`, status: "inProgress" }
      notify("thread/status/changed", { threadId, status: { type: "active", activeFlags: ["waitingOnApproval"] } })
      item("started", started)
      const ids = { threadId, turnId, itemId: started.id, startedAtMs: Date.now() }
      const steered = new Promise<string>((resolve) => {
        explain = resolve
      })
      const answer = await ask(method, { ...ids, ...asking })
      const { decision } = isObject(answer["result"]) ? answer["result"] : {}
      if (decision === "cancel") return { status: "interrupted" }
      const isApproved = decision === "accept" || decision === "acceptForSession"
      item("completed", { ...started, ...(isApproved ? { ...ran, status: "completed" } : { status: "declined" }) })
      if (unread > 0) return await act()
      // The model receives a steer that follows a decline.
      const words = isApproved ? "" : await Promise.race([steered, setTimeout(steerTimeoutMillis, "", { ref: false })])
      const text = ContractScript.decided(
        isApproved,
        `${JSON.stringify(decision ?? answer["error"] ?? null)} ${words}`.trim(),
      )
      return say(text, [text])
    }

    const fail = (reason: string, info: string): Ending => {
      const error = { message: reason, codexErrorInfo: info, additionalDetails: null }
      tell("error", { error, willRetry: false })
      return { status: "failed", reason, info }
    }

    /** Calls a dynamic tool; its arguments are not checked. */
    const call = async ({ input, tool }: ContractScript.ToolUse) => {
      const namespace = thread.tools?.get(tool) ?? null
      const started = {
        ...{ type: "dynamicToolCall", id: `call_${randomUUID()}`, namespace, tool, arguments: input },
        ...{ contentItems: null, success: null, status: "inProgress", durationMs: null },
      }
      if (thread.tools?.has(tool) === false) return `unsupported call: ${tool}`
      item("started", started)
      const ids = { threadId, turnId, callId: started.id, namespace }
      const { result } = await ask("item/tool/call", { ...ids, tool, arguments: input })
      const { contentItems, success } = isObject(result) ? result : {}
      item("completed", { ...started, contentItems, success, status: success === true ? "completed" : "failed" })
      return textOf(contentItems)
    }

    const askUser = async (question: string): Promise<Ending> => {
      const asked = { id: "colour", header: "Colour", question, options: ContractScript.choices }
      const ids = { threadId, turnId, itemId: `call_${randomUUID()}` }
      const questions = [{ ...asked, isOther: true, isSecret: false }]
      const answer = await ask("item/tool/requestUserInput", { ...ids, questions, isBlocking: true })
      const { answers } = isObject(answer["result"]) ? answer["result"] : {}
      const isAnswered = isObject(answers) && Object.hasOwn(answers, asked.id)
      const text = ContractScript.decided(isAnswered, JSON.stringify(answers ?? answer["error"] ?? null))
      return say(text, [text])
    }

    const act = async (): Promise<Ending> => {
      unread = 0
      const action = await next()
      if (action === undefined) return { status: "completed", text: "" }
      switch (action._tag) {
        case "Say":
        case "Partial":
          return say(action.text, [action.text])
        case "Events":
          return say(action.text, action.pieces)
        case "Fail":
          return fail(action.reason, "other")
        case "Limit": {
          const primary = { usedPercent: 100, windowDurationMins: 300, resetsAt: ContractScript.resetsAt(action) }
          notify("account/rateLimits/updated", { rateLimits: { primary, secondary: null } })
          return fail("You've hit your usage limit. Try again later.", "usageLimitExceeded")
        }
        case "Approve":
          return await runCommand()
        case "Change":
          return await changeFile(action.text)
        case "Use": {
          const text = ContractScript.used(await Promise.all(action.calls.map(call)))
          return say(text, [text])
        }
        case "Ask":
          return await askUser(action.text)
        case "Background":
          spawn()
          return say(action.text, [action.text])
        case "Exit":
          crash()
          return await never
        case "Hang":
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          return await act()
      }
    }

    const interrupted = new Promise<Ending>((resolve) => {
      thread.interrupt = () => {
        if (root === turnId) saw({ what: "cancelled", prompt: thread.conversation.messages.at(-1) ?? "" })
        resolve({ status: "interrupted" })
      }
    })
    notify("thread/status/changed", { threadId, status: { type: "active", activeFlags: [] } })
    notify("turn/started", { threadId, turn: turnOf(turnId, "inProgress", root) })
    if (root === turnId) for (const what of ["started", "completed"] as const) item(what, prompt)
    const ending = await Promise.race([act(), interrupted])
    thread.turnId = undefined
    notify("thread/status/changed", { threadId, status: { type: "idle" } })
    const error = ending.status === "failed" ? { message: ending.reason, codexErrorInfo: ending.info } : null
    notify("turn/completed", { threadId, turn: { ...turnOf(turnId, ending.status, root), error } })
    for (const [id, question] of [...asked]) if (question.turnId === turnId) resolved(id, threadId)
  }

  /** Parameters of a thread or of a turn; they stay with the thread. */
  const choose = (thread: Thread, { collaborationMode, model }: JsonObject) => {
    const { settings } = isObject(collaborationMode) ? collaborationMode : {}
    const chosen = model ?? (isObject(settings) ? settings["model"] : undefined)
    if (typeof chosen === "string") thread.model = chosen
  }

  const begin = (thread: Thread, params: JsonObject): Reply => {
    const { clientUserMessageId, input, outputSchema } = params
    choose(thread, params)
    if (isObject(outputSchema) && !isStrict(outputSchema)) return refusal("Invalid schema for response_format")
    const prompt = textOf(input)
    const turnId = `turn-${++turns}`
    thread.conversation.hear(prompt, typeof clientUserMessageId === "string" ? clientUserMessageId : undefined)
    const images = (Array.isArray(input) ? input : []).flatMap((item) => (isObject(item) ? (item["url"] ?? []) : []))
    saw({ what: "received", prompt: ContractScript.received(prompt, images, outputSchema, thread.model) })
    thread.turnId = turnId
    // The response precedes the events.
    queueMicrotask(() => void take(thread, turnId, async () => decide(thread.conversation.messages)))
    return { result: { turn: turnOf(turnId, "inProgress") } }
  }

  const withThread = ({ threadId }: JsonObject, use: (thread: Thread) => Reply): Reply => {
    const thread = threads.get(String(threadId))
    return thread === undefined ? refusal(`thread not found: ${String(threadId)}`) : use(thread)
  }

  const withStored = ({ threadId }: JsonObject, unknown: string, use: (stored: Stored) => Reply): Reply => {
    const loaded = threads.get(String(threadId))?.conversation
    const stored =
      conversations.all().find(({ id }) => id === threadId) ??
      (loaded?.messages.length === 0 ? { ...loaded, turns: [], changedAt: 0 } : undefined)
    return stored === undefined ? refusal(`${unknown} ${String(threadId)}`) : use(stored)
  }
  const change = (params: JsonObject, next: (stored: Stored) => Stored): Reply =>
    withStored(params, "no rollout found for thread id", (stored) => {
      if (threads.has(stored.id)) return refusal(`thread ${stored.id} is loaded`)
      conversations.store(next(stored))
      return { result: {} }
    })

  const methods: Readonly<Record<string, (params: JsonObject) => Reply>> = {
    "thread/start": (params) => {
      const given = params["cwd"]
      const begun = know(conversations.begin(randomUUID(), typeof given === "string" ? given : cwd))
      choose(begun, params)
      const spaces = Array.isArray(params["dynamicTools"]) ? params["dynamicTools"] : []
      begun.tools = new Map(
        spaces.flatMap(({ name: space, tools }) => tools.map(({ name }: JsonObject) => [name, space])),
      )
      const { conversation } = begun
      const thread = describe(conversation)
      queueMicrotask(() => notify("thread/started", { thread }))
      return { result: settings(thread, params) }
    },
    "thread/resume": (params) => {
      const id = String(params["threadId"])
      if (!conversations.isId(id)) return refusal(`invalid session id: invalid character in \`${id}\``)
      const known = threads.get(id)?.conversation ?? conversations.find(id)
      if (known === undefined) return refusal(`no rollout found for thread id ${id}`)
      if (!threads.has(id)) choose(know(known), params)
      return { result: settings(describe(known), params) }
    },
    "thread/read": ({ threadId }) => {
      const known = threads.get(String(threadId))?.conversation ?? conversations.find(String(threadId))
      if (known === undefined) return refusal(`thread not loaded: ${String(threadId)}`)
      return { result: { thread: describe(known) } }
    },
    "config/read": () => ({ result: { config: {}, origins: {}, layers: [] } }),
    "thread/settings/update": (params) =>
      withThread(params, (thread) => {
        choose(thread, params)
        return { result: {} }
      }),
    "turn/start": (params) => withThread(params, (thread) => begin(thread, params)),
    "thread/turns/list": (params) =>
      withStored(params, "no rollout found for thread id", ({ id, turns }) => {
        const all = turns.map(({ answers, text }, at) => ({
          ...turnOf(`turn-of-${at}`, "completed"),
          ...{ itemsView: "full", startedAt: 1 },
          items: [
            at === turns.length - 1
              ? userMessage(threads.get(id)?.conversation ?? conversations.find(id), text)
              : said(text, null),
            ...answers.map((text) => ({ type: "agentMessage", id: randomUUID(), text, phase: null })),
          ],
        }))
        return page(params, params["sortDirection"] === "asc" ? all : all.toReversed())
      }),
    "thread/list": (params) => {
      const { archived, cwd, modelProviders } = params
      // Its own provider has no conversations.
      if (!Array.isArray(modelProviders) || modelProviders.length > 0) return page(params, [])
      const all = conversations
        .all()
        .filter((one) => (one.isArchived ?? false) === (archived ?? false) && (cwd ?? one.cwd) === one.cwd)
      return page(params, all.map(described))
    },
    "thread/fork": (params) =>
      withStored(params, "no rollout found for thread id", ({ cwd, turns }) => {
        const { lastTurnId } = params
        const end =
          lastTurnId === undefined ? turns.length : turns.findIndex((_, at) => lastTurnId === `turn-of-${at}`) + 1
        if (end === 0) return refusal(`turn not found: ${String(lastTurnId)}`)
        const id = randomUUID()
        conversations.store({ id, cwd, turns: turns.slice(0, end) })
        const fork = know(conversations.find(id) ?? conversations.begin(id, cwd))
        return { result: settings(describe(fork.conversation), params) }
      }),
    "thread/name/set": (params) => change(params, (one) => ({ ...one, title: String(params["name"]) })),
    "thread/archive": (params) => change(params, (one) => ({ ...one, isArchived: true })),
    "thread/unarchive": (params) => change(params, (one) => ({ ...one, isArchived: false })),
    "thread/delete": (params) =>
      withStored(params, "no rollout found for thread id", ({ id }) => {
        conversations.remove(id)
        return { result: {} }
      }),
    "turn/steer": (params) =>
      withThread(params, (thread) => {
        if (thread.turnId === undefined || thread.turnId !== params["expectedTurnId"]) {
          return refusal("no active turn to steer")
        }
        const { clientUserMessageId, input } = params
        queueMicrotask(() => thread.steer(textOf(input), clientUserMessageId))
        return { result: { turnId: thread.turnId } }
      }),
    "thread/unsubscribe": (params) =>
      withThread(params, ({ conversation: { id } }) => {
        threads.delete(id)
        queueMicrotask(() => notify("thread/closed", { threadId: id }))
        return { result: { status: "unsubscribed" } }
      }),
    "turn/interrupt": (params) =>
      withThread(params, (thread) => {
        if (thread.turnId === undefined || thread.turnId !== params["turnId"]) {
          return refusal("no active turn to interrupt")
        }
        queueMicrotask(thread.interrupt)
        return { result: {} }
      }),
  }

  const answer = (method: string, params: JsonObject): Reply => {
    if (method === "initialize") {
      if (initialized) return refusal("Already initialized")
      initialized = true
      return { result: { userAgent: `fake/${version}`, codexHome: cwd, platformFamily: "unix", platformOs: "linux" } }
    }
    if (!initialized) return refusal("Not initialized")
    return methods[method]?.(params) ?? refusal(`Invalid request: unknown variant \`${method}\``)
  }

  return {
    receive: (message) => {
      const { id, method } = message
      if (typeof method !== "string") {
        const question = asked.get(id)
        if (question === undefined) return
        resolved(id, question.threadId)
        return question.resolve(message)
      }
      const params = isObject(message["params"]) ? message["params"] : {}
      if (id !== undefined) send({ id, ...answer(method, params) })
    },
    inputEnded: () => leave(0),
  }
}

const describe = ({ cwd, id, messages }: Pick<Conversation, "cwd" | "id" | "messages">): JsonObject => ({
  ...{ id, sessionId: id, preview: messages[0] ?? "", ephemeral: false, historyMode: "paginated" },
  ...{ modelProvider: "fake", model: "fake-model", status: { type: "idle" }, cwd, cliVersion: version },
  ...{ source: "vscode", name: null, turns: [] },
})

const described = ({ changedAt, cwd, id, title, turns }: Stored): JsonObject => ({
  ...describe({ cwd, id, messages: turns.map(({ text }) => text) }),
  ...{ name: title ?? null, createdAt: 1, updatedAt: Math.trunc(changedAt / 1_000) },
})

/** A part of a list. */
const page = ({ cursor, limit }: JsonObject, all: ReadonlyArray<JsonObject>): Reply => {
  const from = Number(cursor ?? 0)
  const end = from + Number(limit ?? 20)
  return { result: { data: all.slice(from, end), nextCursor: end < all.length ? String(end) : null } }
}

/** The user's last message. */
const userMessage = (conversation: Conversation | undefined, text = conversation?.messages.at(-1) ?? ""): JsonObject =>
  said(text, conversation?.last() ?? null)

const said = (text: string, clientId: string | null): JsonObject => ({
  ...{ type: "userMessage", id: randomUUID(), clientId },
  content: [{ type: "text", text, text_elements: [] }],
})

const turnOf = (id: string, status: string, rootTurnId = id): JsonObject => ({
  ...{ id, rootTurnId, items: [], itemsView: "notLoaded", status, error: null },
})

const tokens = (turns: number): JsonObject => ({
  ...{ totalTokens: 18 * turns, inputTokens: 11 * turns, cachedInputTokens: 0, cacheWriteInputTokens: 0 },
  ...{ outputTokens: 7 * turns, reasoningOutputTokens: 0 },
})

/** OpenAI's API accepts a schema only if all its objects are closed and require all their properties. */
const isStrict = (part: unknown): boolean => {
  if (Array.isArray(part)) return part.every(isStrict)
  if (!isObject(part)) return true
  const properties = isObject(part["properties"]) ? Object.keys(part["properties"]) : undefined
  const isClosed =
    properties === undefined ||
    (part["additionalProperties"] === false && JSON.stringify(part["required"]) === JSON.stringify(properties))
  return isClosed && Object.values(part).every(isStrict)
}

export const agent: Agent = {
  module: import.meta.url,
  command: "codex",
  isShared: true,
  version: `codex-cli ${version}`,
  terminated: 0,
  make,
}
