/**
 * The agents that judge and write: where their programs are, and what they may do. A document can hold instructions that
 * its reader takes for its own, so an agent gets an empty directory and no tools: all that it can do is answer.
 *
 * @see system page, "Two ways to use it, one evaluator"
 */
import type { Agent } from "@zain/agents/Agent"
import * as McpClient from "@zain/core/McpClient"
import * as ProgramPath from "@zain/process/ProgramPath"
import type { AnswerOnlyOptions } from "@zain/sdk-client/AnswerOnly"
import type { Environment } from "@zain/tool-server/OptionTable"
import type { Mask } from "@zain/tool-server/Secrets"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Evaluator } from "../Evaluator.ts"
import { LoopSmithError } from "../LoopSmithError.ts"
import { Writer } from "../Writer.ts"
import type { AgentChoice, Judge } from "./AgentChoice.ts"
import * as AgentDirectory from "./AgentDirectory.ts"
import { CommandError } from "./CommandError.ts"

/** What people call a judge or a writer. */
export const titleOf = ({ agent }: Pick<Judge, "agent">) =>
  agent === "mock" ? Effect.succeed("The mock evaluator") : Effect.map(factsOf(agent), ({ title }) => title)

const factsOf = (agent: Agent) => Effect.promise(agent.facts)

/** Where the agent's program is, and the variables that it is given: all that can be known before it is started. */
export interface Found {
  readonly choice: AgentChoice
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * @param role which option names the program
 * @returns the agent; or `CommandError` when there is no such program, or no such variable
 */
export const find = Effect.fnUntraced(function* (choice: AgentChoice, role: "judge" | "writer", host: Environment) {
  const { install, program, title } = yield* factsOf(choice.agent)
  const path = ProgramPath.find(choice.command ?? program, host)
  if (path === undefined) {
    const where = choice.command === undefined ? `${program} on PATH` : JSON.stringify(choice.command)
    const without = role === "judge" ? ", or do without an agent by --judge mock" : ""
    const todo = `Install it with "${install}", or name it with --${role}-command${without}.`
    return yield* new CommandError({ message: `The ${role} is ${title}, and there is no program ${where}. ${todo}` })
  }
  const unset = choice.passed.find((name) => host[name] === undefined)
  if (unset !== undefined) {
    return yield* new CommandError({ message: `--env ${unset}: there is no such variable to pass on.` })
  }
  const env = Object.fromEntries(choice.passed.map((name) => [name, host[name] ?? ""]))
  return { choice, program: path, env } satisfies Found
})

/** How an agent is reached, with nothing that it could do harm with. */
const open = Effect.fnUntraced(function* (
  { choice, env, program }: Found,
  host: Environment,
  more: Pick<AnswerOnlyOptions, "maxMessageBytes"> = {},
) {
  const model = choice.model === undefined ? {} : { model: choice.model }
  const cwd = yield* AgentDirectory.make
  const answerOnly = yield* Effect.promise(choice.agent.answerOnly)
  return yield* answerOnly({ program, env, host, cwd, ...model, ...more })
})

/** Who evaluates, ready to be built: an agent starts with its first evaluation. */
export const evaluator = Effect.fnUntraced(function* (judge: Judge, host: Environment, mask: Mask) {
  if (judge.agent === "mock") {
    const MockEvaluator = yield* Effect.promise(() => import("../MockEvaluator.ts"))
    return MockEvaluator.layer
  }
  const found = yield* find(judge, "judge", host)
  const { attempts, maxBuffer, model, prompt, timeout } = judge
  const AgentEvaluator = yield* Effect.promise(() => import("../AgentEvaluator.ts"))
  const make = Effect.gen(function* () {
    const { client, config } = yield* open(found, host, { maxMessageBytes: maxBuffer })
    const made = AgentEvaluator.make({
      config,
      model,
      promptPath: prompt,
      attempts,
      timeout,
      maxAnswerBytes: maxBuffer,
    })
    return masked(yield* Effect.provideService(made, McpClient.McpClient, client), mask)
  })
  return Layer.effect(Evaluator, make)
})

/** Who writes, ready to be built. */
export const writer = Effect.fnUntraced(function* (choice: AgentChoice, host: Environment, mask: Mask) {
  const found = yield* find(choice, "writer", host)
  const AgentWriter = yield* Effect.promise(() => import("../AgentWriter.ts"))
  const make = Effect.gen(function* () {
    const { client, config } = yield* open(found, host)
    const made = AgentWriter.make({ config, attempts: choice.attempts, timeout: choice.timeout })
    const { rewrite } = yield* Effect.provideService(made, McpClient.McpClient, client)
    return { rewrite: (request) => Effect.mapError(rewrite(request), maskedError(mask)) } satisfies Writer["Service"]
  })
  return Layer.effect(Writer, make)
})

/**
 * What agents say of their failures goes out without the secrets that they may repeat. Documents and suggestions are left
 * as they are here: they go to the writer.
 */
const masked = ({ evaluate }: Evaluator["Service"], mask: Mask): Evaluator["Service"] => ({
  evaluate: (request, observe) =>
    evaluate(request, observe && ((event, note) => observe(event, note && mask(note)))).pipe(
      Effect.mapError(maskedError(mask)),
    ),
})

const maskedError =
  (mask: Mask) =>
  ({ attempts, details, message, reason, retryable }: LoopSmithError) =>
    new LoopSmithError({ reason, message: mask(message), details: mask(details), retryable, attempts })
