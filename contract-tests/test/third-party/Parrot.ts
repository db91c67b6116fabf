/**
 * A third party's client: an agent that follows `ContractScript`, behind the port. The client needs only `core`, its agent
 * only `ContractScript` and `PeerObservation`.
 */
import { ContractScript, PeerObservation } from "@zain/contract-tests"
import {
  type ConnectionUnavailableReason,
  type InvalidRequest,
  type InvalidRequestReason,
  type McpApproval,
  McpConnectionConfig,
  type McpDelivery,
  McpError,
  McpSessionRuntime,
} from "@zain/core"
import type { AgentRequest, Answer, Driver, Turn } from "@zain/core/AgentConnection"
import type { Parsed } from "@zain/core/McpConnectionConfig"
import type { McpSteered } from "@zain/core/McpSteer"
import { Deferred, Effect, Result, Semaphore } from "effect"
import { identity } from "effect/Function"
import * as ParrotThreads from "./ParrotThreads.ts"

export type Nest = ParrotThreads.Nest

export const config = McpConnectionConfig.stdio({ command: "parrot" })
export const unreachable = McpConnectionConfig.stdio({ command: "nowhere" })
export const silent = McpConnectionConfig.stdio({ command: "asleep" })

const unavailable = (reason: ConnectionUnavailableReason, message: string, delivery: McpDelivery = "not-sent") =>
  new McpError.ConnectionUnavailable({ reason, message, delivery })

export const resume = (threadId: string) =>
  McpConnectionConfig.stdio({ command: "parrot", providerOptions: { threadId } })

/** The configurations of every client; all reach the same parrots. */
export const elsewhere = resume

const perch = Effect.fnUntraced(function* (parsed: Parsed) {
  const unknown = Object.keys(parsed.providerOptions).find((key) => key !== "threadId" && key !== "background")
  if (unknown !== undefined) {
    const message = `A parrot has no option \`${unknown}\`. Remove it.`
    return yield* new McpError.InvalidRequest({ reason: "invalid-config", message, delivery: "not-sent" })
  }
  if (parsed.serverUrl === unreachable.serverUrl) {
    return yield* unavailable("spawn-failed", "There is no parrot of this name. Call another one.")
  }
  if (parsed.serverUrl === silent.serverUrl) {
    return yield* Effect.timeoutOrElse(Effect.never, {
      duration: parsed.connectTimeout,
      orElse: () => Effect.fail(unavailable("connect-timeout", "The parrot does not wake up. Give it more time.")),
    })
  }
})

export const nest = (record: PeerObservation.PeerRecord): Nest => ({
  record,
  conversations: new Map(),
  taken: 0,
})

/** Holds the conversation of a session until the session ends. */
const talk = Effect.fnUntraced(function* ({ conversations }: Nest, client: object, asked: unknown) {
  const threadId = typeof asked === "string" ? asked : crypto.randomUUID()
  const conversation: ParrotThreads.Conversation | undefined =
    asked === undefined
      ? {
          ...{ threadId, heard: [], turns: [], order: Semaphore.makeUnsafe(1), sessions: new Set() },
          ...{ client: undefined, title: undefined, isArchived: false, changed: 0 },
        }
      : conversations.get(threadId)
  if (conversation === undefined) return yield* Effect.fail(forgotten)
  conversations.set(threadId, conversation)
  const { sessions } = conversation
  if (sessions.size > 0 && conversation.client !== client) return yield* Effect.fail(taken)
  conversation.client = client
  const session = {}
  yield* Effect.acquireRelease(
    Effect.sync(() => sessions.add(session)),
    () => Effect.sync(() => sessions.delete(session)),
  )
  return conversation
})

const forgotten = new McpError.SessionClosed({
  reason: "conversation-lost",
  message: "No parrot has heard of this conversation. Start a new one.",
  delivery: "not-sent",
})

const taken = new McpError.InvalidRequest({
  reason: "rejected-by-server",
  message: "Another client talks to this parrot. Close its session first.",
  delivery: "not-sent",
})

/** Connects to a parrot, and takes one turn. One driver for each client. */
export const driver = (home: Nest, client: object = {}): Driver => ({
  provider: "parrot",
  supports: {
    streaming: true,
    approvals: true,
    questions: true,
    cancelKeepsConversation: true,
    failureKeepsConversation: true,
    background: true,
    structured: true,
    images: true,
    turnOptions: true,
    steer: true,
    tools: true,
    threads: true,
    context: true,
    cost: true,
    stopReason: true,
    rateLimits: true,
  },
  connect: Effect.fnUntraced(function* (parsed) {
    yield* perch(parsed)
    const { record } = home
    const conversation = yield* talk(home, client, parsed.providerOptions["threadId"])
    const { heard, order, sessions, threadId, turns } = conversation
    yield* Effect.acquireRelease(
      Effect.sync(() => record.holds("a parrot")),
      (release) => Effect.sync(release),
    )
    const scope = yield* Effect.scope
    let isGone = false
    let waiting: ReadonlyArray<{ readonly content: string; readonly end: (how: McpSteered) => void }> = []
    /** Returns the texts of `steer`, whose senders receive what became of them. */
    const steers = (how: McpSteered) => {
      const settled = waiting
      waiting = []
      for (const { end } of settled) end(how)
      return settled.map(({ content }) => content)
    }
    let aborted = Deferred.makeUnsafe<never, McpError>()

    const listen = (
      { content, images = [], output, providerOptions = {} }: AgentRequest,
      turn: Turn,
    ): Effect.Effect<Said, McpError> =>
      Effect.suspend((): Effect.Effect<Said, McpError> => {
        const options = readOptions(providerOptions)
        if (Result.isFailure(options)) return Effect.fail(options.failure)
        if (!home.conversations.has(threadId)) return Effect.fail(forgotten)
        if (isGone) return Effect.fail(unavailable("server-exited", "The parrot has flown. Open a new session."))
        turn.emit({ _tag: "ThreadStarted", threadId })
        heard.push(content)
        record.saw({
          what: "received",
          prompt: ContractScript.received(content, images, output, options.success.model),
        })
        const action = ContractScript.decide(heard)
        switch (action._tag) {
          case "Hang":
            return Effect.never
          case "Exit":
            isGone = true
            return Effect.fail(unavailable("server-exited", "The parrot has just flown away.", "unknown"))
          case "Background":
            return parsed.providerOptions["background"] === "keep"
              ? Effect.as(Effect.forkIn(chicks(turn), scope), {
                  content: action.text,
                  isError: false,
                  pending: [keep(turn)],
                })
              : act(action, turn)
          default:
            return Effect.flatMap(act(action, turn), (said) => {
              const texts = steers("applied")
              if (texts.length === 0) return Effect.succeed(said)
              for (const text of texts) {
                heard.push(text)
                record.saw({ what: "received", prompt: text })
              }
              return act(ContractScript.decide(heard) as Parameters<typeof act>[0], turn)
            })
        }
      }).pipe(
        Effect.ensuring(Effect.sync(() => steers("queued"))),
        Effect.onInterrupt(() => Effect.sync(() => record.saw({ what: "cancelled", prompt: content }))),
      )

    return {
      threads: ParrotThreads.make(home, client, { forgotten, taken }),
      steer: (content) =>
        Effect.callback((resume) => {
          waiting = [...waiting, { content, end: (how) => resume(Effect.succeed(how)) }]
        }),
      execute: (request, turn) =>
        Effect.suspend(() => {
          aborted = Deferred.makeUnsafe()
          const inOrder = sessions.size > 1 ? order.withPermits(1) : identity
          const prompt = request.content.toWellFormed()
          const answered = Effect.map(inOrder(listen({ ...request, content: prompt }, turn)), (said) => {
            turns.push({ turn: crypto.randomUUID(), prompt, events: [{ _tag: "Message", text: said.content }] })
            conversation.changed = ++home.taken
            return { ...said, threadId }
          })
          return Effect.raceFirst(answered, Deferred.await(aborted))
        }),
      abort: (error) => void Deferred.doneUnsafe(aborted, Effect.fail(error)),
    }
  }),
})

const chick = { workId: "chick", kind: "sub-agent", title: "A chick cracks a nut" } as const

/** Lets the chick work on after the answer. */
const keep = (turn: Turn) => {
  turn.keep()
  return chick
}

/** The work of the chick, until it ends or its session does. */
const chicks = ({ approve, emit, over }: Turn) =>
  Effect.ensuring(
    Effect.map(approve(wish), () => emit({ _tag: "BackgroundFinished", ...chick, isError: false })),
    Effect.sync(over),
  )

/** Runs a turn that has an answer. */
export const act = (
  action: Exclude<ContractScript.Action, { readonly _tag: "Hang" | "Exit" }>,
  { approve, callTool, emit }: Pick<Turn, "approve" | "callTool" | "emit">,
): Effect.Effect<Said> => {
  switch (action._tag) {
    case "Events":
      for (const text of action.pieces) emit({ _tag: "TextDelta", text })
      return Effect.succeed({ content: action.text, isError: false })
    case "Fail":
      return Effect.succeed({ content: action.reason, isError: true })
    case "Limit": {
      const cause = { _tag: "RateLimited", retryAfter: action.seconds * 1_000, window: "nuts" } as const
      return Effect.succeed({ content: "The parrot has had enough nuts.", isError: true, cause })
    }
    case "Approve":
    case "Background":
    case "Change":
      return Effect.map(approve(action._tag === "Change" ? changing(action.text) : wish), (decision) => {
        const isApproved = decision._tag !== "Decline"
        const content = ContractScript.decided(isApproved, isApproved ? "" : decision.reason)
        if (!isApproved) return { content, isError: false }
        emit({ _tag: "ToolStarted", toolId: "1", name: "beak", title: "Cracks a nut" })
        emit({ _tag: "ToolFinished", toolId: "1", name: "beak", isError: false })
        return { content, isError: false }
      })
    case "Use":
      return Effect.map(
        Effect.forEach(action.calls, peck({ callTool, emit }), { concurrency: "unbounded" }),
        (results) => ({ content: ContractScript.used(results), isError: false }),
      )
    case "Ask":
      return Effect.map(approve(asking(action.text)), (decision) => {
        const isAnswered = decision._tag === "Answer"
        return { content: ContractScript.decided(isAnswered, JSON.stringify(decision)), isError: false }
      })
    default:
      emit({ _tag: "Usage", ...usage })
      return Effect.succeed({ content: action.text.toWellFormed(), isError: false, ...reported })
  }
}

/** Uses a tool of the session's own. */
const peck =
  ({ callTool, emit }: Pick<Turn, "callTool" | "emit">) =>
  ({ input, tool: name }: ContractScript.ToolUse) => {
    const toolId = crypto.randomUUID()
    emit({ _tag: "ToolStarted", toolId, name, title: name, input })
    return Effect.map(callTool(name, input), ({ isError, text }) => {
      emit({ _tag: "ToolFinished", toolId, name, isError, output: text })
      return text
    })
  }

type Said = Omit<Answer, "threadId">

const usage = { inputTokens: 1, outputTokens: 1 }

const reported = { usage, context: { used: 2, size: 100 }, cost: 0.01, stopReason: "completed" } as const
const wish = { kind: "command", message: "May I crack this nut?", command: "crack nut" } as const

/** A request with one question. */
const asking = (text: string): McpApproval.McpApprovalRequest => ({
  kind: "question",
  message: text,
  questions: [{ id: "colour", text, options: ContractScript.choices }],
})

/** A request to write a new file. */
const changing = (text: string): McpApproval.McpApprovalRequest => ({
  kind: "file-change",
  message: "May I write into changed.txt?",
  paths: ["/perch/changed.txt"],
  changes: [{ path: "/perch/changed.txt", kind: "add", diff: `@@ -0,0 +1,1 @@\n+${text}\n`, isNew: true }],
})

/** Options of one turn of a parrot. */
export const turn = { options: { model: "macaw" }, seen: "model:macaw", wider: { volume: 11 } }

/** Reads options of one turn. A session's volume is 5. */
export const readOptions = (given: object): Result.Result<{ readonly model?: string }, InvalidRequest> => {
  const { model, volume = 5, ...unknown } = given as Readonly<Record<string, unknown>>
  const refused = (reason: InvalidRequestReason, message: string) =>
    Result.fail(new McpError.InvalidRequest({ reason, message, delivery: "not-sent" }))
  const [name] = Object.keys(unknown)
  if (name !== undefined) return refused("not-supported", `A parrot has no \`${name}\`. Omit it.`)
  if (volume !== 5) return refused("invalid-config", "`volume` must be the session's, 5.")
  if (model === undefined) return Result.succeed({})
  return typeof model === "string" ? Result.succeed({ model }) : refused("invalid-config", "`model` must be a string.")
}

const own = nest(PeerObservation.make())

export const peer = own.record.observation
export const make = Effect.suspend(() => McpSessionRuntime.make(driver(own)))

/** A subject with every capability. */
export const subject = { provider: "parrot", make, peer, config, unreachable, silent, resume, elsewhere, turn } as const
