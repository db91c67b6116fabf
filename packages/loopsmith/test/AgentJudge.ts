/**
 * An evaluator with a scripted agent.
 */
import { InMemoryMcpClient } from "@zain/core"
import { McpClient } from "@zain/core/McpClient"
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import * as AgentEvaluator from "@zain/loopsmith/AgentEvaluator"
import * as Evaluation from "@zain/loopsmith/Evaluation"
import { Evaluator } from "@zain/loopsmith/Evaluator"
import * as LoopState from "@zain/loopsmith/LoopState"
import * as Rubric from "@zain/loopsmith/Rubric"
import { type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const { config } = InMemoryMcpClient

/** How an agent answers. */
export type Reply = NonNullable<InMemoryMcpClient.Options["reply"]>

export const good = { score: 7.5, rubric_scores: Rubric.map(() => 7), suggestions: ["More."] }

/** A judge's reply. */
export const judging = (change: object = {}): ReturnType<Reply> =>
  Effect.succeed(JSON.stringify({ ...good, ...change }))

type Asked = Parameters<typeof Evaluation.request>[0]

export const request = (input: Asked) => Effect.orDie(Effect.fromResult(Evaluation.request(input)))

/** An observer of one evaluation that records the states. */
export const observer = (states: Array<string>) =>
  LoopState.track((state) => Effect.sync(() => states.push(state)), "Evaluating")

/** A client of an agent that has no means of its own for structured answers. */
const plain = (options: InMemoryMcpClient.Options) =>
  Effect.map(InMemoryMcpClient.make(options), (client) => ({
    ...client,
    supports: { ...client.supports, structured: false },
  }))

/** An evaluator by one agent. */
export const evaluatorBy = Effect.fnUntraced(function* (reply: Reply, options: Partial<AgentEvaluator.Options> = {}) {
  const client = yield* plain({ reply })
  return yield* Effect.provideService(AgentEvaluator.make({ config, ...options }), McpClient, client)
})

/** A judge that gives these replies in order and repeats the last, with the prompts and sessions that it records. */
export const judge = (replies: ReadonlyArray<ReturnType<Reply>>, options: Partial<AgentEvaluator.Options> = {}) => {
  const prompts: Array<string> = []
  const sessions = { opened: 0, resumed: 0 }
  const idle: Array<Duration.Duration> = []
  const made = plain({
    provider: "codex",
    connect: ({ idleTimeout }) =>
      Effect.sync(() => {
        sessions.opened += 1
        idle.push(idleTimeout)
      }),
    reply: ({ content, earlier }) => {
      prompts.push(content)
      sessions.resumed += earlier.length
      return replies[prompts.length - 1] ?? replies.at(-1) ?? Effect.never
    },
  })
  const client = McpClientAdapter.layer(made)
  const states: Array<string> = []
  const one = Effect.fnUntraced(function* (input: Asked) {
    const { evaluate } = yield* Evaluator
    return yield* evaluate(yield* request(input), yield* observer(states))
  })
  const evaluate = (input: Asked) =>
    one(input).pipe(Effect.provide(AgentEvaluator.layer({ config, ...options })), Effect.provide(client))
  return { evaluate, idle, prompts, sessions, states }
}

/** Runs an evaluation or a rewriting to its end, and advances the clock in steps of `time`. */
export const settled = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E>, time: Duration.Input = "1 hour") {
  const running = yield* Effect.forkChild(Effect.exit(work), { startImmediately: true })
  // Reading the template and closing a session need turns of the event loop, but no time of the test clock.
  while (running.pollUnsafe() === undefined) {
    yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
    yield* TestClock.adjust(time)
  }
  return yield* Effect.flatten(Fiber.join(running))
})
