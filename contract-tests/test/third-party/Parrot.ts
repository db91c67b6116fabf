/**
 * A third party's client: an agent that repeats what it is told, behind the port. Nothing of Zain's but `core` is needed
 * for the client, and nothing but `ContractScript` and `PeerObservation` for its agent.
 */
import { ContractScript, PeerObservation } from "@zain/contract-tests"
import { McpConnectionConfig, McpError, McpSessionRuntime } from "@zain/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export const config = McpConnectionConfig.stdio({ command: "parrot" })
export const unreachable = McpConnectionConfig.stdio({ command: "nowhere" })
export const silent = McpConnectionConfig.stdio({ command: "asleep" })

const unavailable = (
  reason: McpError.ConnectionUnavailableReason,
  message: string,
  delivery: McpError.McpDelivery = "not-sent",
) => new McpError.ConnectionUnavailable({ reason, message, delivery })

const perch = Effect.fnUntraced(function* (parsed: McpConnectionConfig.Parsed) {
  const [unknown] = Object.keys(parsed.providerOptions)
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

/** How a parrot is reached, and how it takes one turn. */
export const driver = (record: PeerObservation.PeerRecord): McpSessionRuntime.Driver => ({
  provider: "parrot",
  supports: { streaming: true, approvals: true, cancelKeepsConversation: true, failureKeepsConversation: true },
  connect: Effect.fnUntraced(function* (parsed) {
    yield* perch(parsed)
    yield* Effect.acquireRelease(
      Effect.sync(() => record.holds("a parrot")),
      (release) => Effect.sync(release),
    )
    const heard: Array<string> = []
    let isGone = false
    let aborted = Deferred.makeUnsafe<never, McpError.McpError>()

    const listen = (content: string, turn: McpSessionRuntime.Turn): Effect.Effect<Said, McpError.McpError> =>
      Effect.suspend(() => {
        if (isGone) return Effect.fail(unavailable("server-exited", "The parrot has flown. Open a new session."))
        heard.push(content)
        record.saw({ what: "received", prompt: content })
        const action = ContractScript.decide(heard)
        switch (action._tag) {
          case "Hang":
            return Effect.never
          case "Exit":
            isGone = true
            return Effect.fail(unavailable("server-exited", "The parrot has just flown away.", "unknown"))
          case "Events":
            for (const text of action.pieces) turn.emit({ _tag: "TextDelta", text })
            return Effect.succeed({ content: action.text, isError: false })
          case "Fail":
            return Effect.succeed({ content: action.reason, isError: true })
          case "Approve":
            return Effect.map(turn.approve(wish), (decision) => {
              const content = ContractScript.decided(decision._tag !== "Decline")
              if (decision._tag === "Decline") return { content, isError: false }
              turn.emit({ _tag: "ToolStarted", toolId: "1", name: "beak", title: "Cracks a nut" })
              turn.emit({ _tag: "ToolFinished", toolId: "1", name: "beak", isError: false })
              return { content, isError: false }
            })
          default:
            turn.emit({ _tag: "Usage", ...usage })
            return Effect.succeed({ content: action.text, isError: false, usage })
        }
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => record.saw({ what: "cancelled", prompt: content }))))

    return {
      execute: ({ content }, turn) =>
        Effect.suspend(() => {
          aborted = Deferred.makeUnsafe()
          return Effect.raceFirst(listen(content, turn), Deferred.await(aborted))
        }),
      abort: (error) => void Deferred.doneUnsafe(aborted, Effect.fail(error)),
    }
  }),
})

type Said = Pick<McpSessionRuntime.Answer, "content" | "isError" | "usage">

const usage = { inputTokens: 1, outputTokens: 1 }
const wish = { kind: "command", message: "May I crack this nut?", command: "crack nut" } as const

const record = PeerObservation.make()

export const peer = record.observation
export const make = McpSessionRuntime.make(driver(record))
