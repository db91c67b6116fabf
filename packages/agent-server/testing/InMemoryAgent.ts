/**
 * An agent in the test's process. A prompt is its script, with one step per line.
 *
 * - `say TEXT`: emits a message, word by word
 * - `tool NAME`: uses a tool
 * - `usage`: emits its usage
 * - `raw`: emits a `Raw` event
 * - `ask COMMAND`: requests an approval; the decision becomes part of the answer
 * - `request JSON`: requests an approval with this request
 * - `call NAME JSON`: calls a tool of the client's own with these arguments; the answer becomes part of the answer
 * - `withdraw COMMAND`: requests an approval, and withdraws the request after 30 minutes
 * - `flood COUNT SIZE`: emits this many pieces of text, of this many characters each
 * - `earlier`: the prompts of this thread before this one become part of the answer
 * - `leave COMMAND`: leaves a sub-agent that requests an approval of this command after the turn, and ends then
 * - `stage STAGE`: the turn has come to this stage
 * - `begin NAME`, `finish NAME`: a tool starts, has finished
 * - `stay`: runs until it is interrupted
 * - `fail TEXT`: the turn fails
 * - `refuse REASON DELIVERY`: fails with an `AgentError`; DELIVERY is optional
 * - `break`: dies with a defect
 */
import { Effect, Exit, Schema, Semaphore } from "effect"
import { AgentError } from "../src/AgentError.ts"
import type { Agent, AgentAttachment, TurnListener, TurnRequest, TurnResult } from "../src/ServedAgent.ts"

export const StartOptions = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  sandbox: Schema.optionalKey(Schema.Literals(["read-only", "workspace-write"])),
  config: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})
export type StartOptions = typeof StartOptions.Type

interface Thread {
  readonly prompts: Array<string>
  readonly turns: Semaphore.Semaphore
}

/**
 * - `attached`: number of attached clients; `attachments`: how often a client was attached
 * - `started`: options of started threads; `beside`: options beside threads; `tools`: those of turns
 * - `interrupted`: the prompts of interrupted turns
 * - `working`: number of running turns
 */
export interface InMemoryAgent extends Agent<StartOptions> {
  readonly seen: {
    attached: number
    attachments: number
    working: number
    readonly started: Array<StartOptions>
    readonly beside: Array<StartOptions | undefined>
    readonly tools: Array<TurnRequest["tools"]>
    readonly interrupted: Array<string>
  }
}

export const make = (): InMemoryAgent => {
  const threads = new Map<string, Thread>()
  const seen: InMemoryAgent["seen"] = {
    attached: 0,
    attachments: 0,
    working: 0,
    started: [],
    beside: [],
    tools: [],
    interrupted: [],
  }

  const attachment: AgentAttachment<StartOptions> = {
    begin: () => Effect.void,
    start: (options) =>
      Effect.sync(() => {
        const id = `thread-${threads.size + 1}`
        threads.set(id, { prompts: [], turns: Semaphore.makeUnsafe(1) })
        seen.started.push(options)
        return id
      }),
    open: (threadId) =>
      threads.has(threadId) ? Effect.void : Effect.fail(new AgentError({ reason: "unknown-thread", message: "No." })),
    turn: (threadId, { prompt, tools }, listener, options) =>
      Effect.suspend(() => {
        seen.beside.push(options)
        seen.tools.push(tools)
        const thread = threads.get(threadId)
        return thread === undefined
          ? Effect.fail(new AgentError({ reason: "unknown-thread", message: "The agent's own words." }))
          : thread.turns.withPermits(1)(turn(thread, prompt, listener))
      }),
  }
  const turn = (thread: Thread, prompt: string, listener: TurnListener) =>
    Effect.suspend(() => {
      seen.working++
      const earlier = [...thread.prompts]
      thread.prompts.push(prompt)
      listener.stage("accepted")
      listener.started()
      return play(prompt, earlier, listener, seen)
    }).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          seen.working--
          if (Exit.hasInterrupts(exit)) seen.interrupted.push(prompt)
        }),
      ),
    )

  return {
    name: "memory",
    title: "Memory",
    description: "An agent of the tests.",
    startOptions: StartOptions as unknown as Schema.Codec<StartOptions, unknown>,
    attach: Effect.acquireRelease(
      Effect.sync(() => {
        seen.attached++
        seen.attachments++
        return attachment
      }),
      () => Effect.sync(() => void seen.attached--),
    ),
    check: () => Effect.void,
    redact: (text) => text.replaceAll("a secret", "<redacted>"),
    seen,
  }
}

const play = Effect.fnUntraced(function* (
  prompt: string,
  earlier: ReadonlyArray<string>,
  { approve, callTool, event, stage }: TurnListener,
  seen: InMemoryAgent["seen"],
) {
  const content: Array<string> = []
  let usage: Pick<TurnResult, "usage"> = {}
  let left: Pick<TurnResult, "rest"> = {}
  for (const step of prompt.split("\n")) {
    const [verb, ...words] = step.split(" ")
    const rest = words.join(" ")
    if (verb === "say") {
      for (const word of words) event({ _tag: "TextDelta", text: word })
      event({ _tag: "Message", text: rest })
      content.push(rest)
    } else if (verb === "tool") {
      event({ _tag: "ToolStarted", toolId: "1", name: rest, title: `Uses ${rest}` })
      event({ _tag: "ToolFinished", toolId: "1", name: rest, isError: false, output: "done" })
    } else if (verb === "begin") event({ _tag: "ToolStarted", toolId: rest, name: rest, title: rest })
    else if (verb === "finish") event({ _tag: "ToolFinished", toolId: rest, name: rest, isError: false })
    else if (verb === "usage") {
      usage = { usage: { inputTokens: 3, outputTokens: 5 } }
      event({ _tag: "Usage", inputTokens: 3, outputTokens: 5 })
    } else if (verb === "raw") {
      event({ _tag: "Raw", method: "memory/own", params: { a: 1 } })
    } else if (verb === "ask") {
      content.push(
        JSON.stringify(yield* approve({ request: { kind: "command", message: "May it run?", command: rest } })),
      )
    } else if (verb === "call") {
      const [name = "", ...json] = words
      content.push(JSON.stringify(yield* callTool(name, JSON.parse(json.join(" ")))))
    } else if (verb === "withdraw") {
      const asking = approve({ request: { kind: "command", message: "May it run?", command: rest } })
      yield* Effect.timeoutOption(asking, "30 minutes")
    } else if (verb === "request") {
      content.push(JSON.stringify(yield* approve({ request: JSON.parse(rest) })))
    } else if (verb === "flood") {
      const text = "x".repeat(Number(words[1] ?? 1))
      for (let piece = 0; piece < Number(words[0]); piece++) {
        event({ _tag: "TextDelta", text })
        if (piece % 100 === 99) yield* Effect.yieldNow
      }
    } else if (verb === "earlier") content.push(earlier.join("|"))
    else if (verb === "stage") stage(rest as Parameters<typeof stage>[0])
    else if (verb === "leave") {
      const work = { workId: "1", kind: "sub-agent", title: rest } as const
      const asking = approve({ request: { kind: "command", message: "May it run?", command: rest } })
      const ended = (isError: boolean) => Effect.sync(() => event({ _tag: "BackgroundFinished", ...work, isError }))
      left = {
        rest: {
          pending: [work],
          done: Effect.andThen(Effect.andThen(Effect.yieldNow, asking), ended(false)).pipe(
            Effect.onInterrupt(() =>
              Effect.andThen(
                ended(true),
                Effect.sync(() => void seen.interrupted.push(rest)),
              ),
            ),
          ),
        },
      }
    } else if (verb === "stay") yield* Effect.never
    else if (verb === "fail") return { content: rest, isError: true }
    else if (verb === "refuse") {
      const [reason, delivery] = words as [AgentError["reason"], AgentError["delivery"]]
      const message = reason === "option-refused" ? "`base-x` stays." : `The agent says ${reason}.`
      return yield* Effect.fail(new AgentError({ reason, message, ...(delivery === undefined ? {} : { delivery }) }))
    } else if (verb === "break") return yield* Effect.die(new Error("a defect"))
  }
  return { content: content.join("\n"), isError: false, ...usage, ...left } satisfies TurnResult
})
