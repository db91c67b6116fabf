/**
 * Finds and opens the agents that judge and write. A document can contain prompt injection, so each agent gets an empty
 * directory and no tools: it can only answer.
 *
 * @see system page, "Two ways to use it, one evaluator"
 */
import type { Agent } from "@zain/agent-list/Agent"
import type { Environment } from "@zain/command/OptionTable"
import type { Mask } from "@zain/command/Secrets"
import * as McpClient from "@zain/core/McpClient"
import * as ProgramPath from "@zain/process/ProgramPath"
import type { AnswerOnlyOptions } from "@zain/sdk-client/AnswerOnly"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Evaluator } from "../Evaluator.ts"
import { LoopSmithError } from "../LoopSmithError.ts"
import { Writer } from "../Writer.ts"
import type { AgentChoice, Judge } from "./AgentChoice.ts"
import * as AgentDirectory from "./AgentDirectory.ts"
import { CommandError } from "./CommandError.ts"

/** The display name of a judge or a writer. */
export const titleOf = ({ agent }: Pick<Judge, "agent">) =>
  agent === "mock" ? Effect.succeed("The mock evaluator") : Effect.map(factsOf(agent), ({ title }) => title)

const factsOf = (agent: Agent) => Effect.promise(agent.facts)

/** An agent whose program and variables were found, before it starts. */
export interface Found {
  readonly choice: AgentChoice
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Finds the agent's program and its variables.
 *
 * @param role the prefix of the option that names the program
 * @returns the agent. Fails with `CommandError` if the program or a variable is missing
 */
export const find = Effect.fnUntraced(function* (choice: AgentChoice, role: "judge" | "writer", host: Environment) {
  const { install, program, title } = yield* factsOf(choice.agent)
  const path = ProgramPath.find(choice.command ?? program, host)
  if (path === undefined) {
    const where = choice.command === undefined ? `${program} on PATH` : JSON.stringify(choice.command)
    const without = role === "judge" ? ", or use no agent with --judge mock" : ""
    const todo = `Install it with "${install}", or name it with --${role}-command${without}.`
    return yield* new CommandError({
      message: `The ${role} is ${title}, but its program was not found: ${where}. ${todo}`,
    })
  }
  const unset = choice.passed.find((name) => host[name] === undefined)
  if (unset !== undefined) {
    return yield* new CommandError({ message: `--env ${unset}: the variable is not set.` })
  }
  const env = Object.fromEntries(choice.passed.map((name) => [name, host[name] ?? ""]))
  return { choice, program: path, env } satisfies Found
})

/** The client and the configuration of an agent that can only answer. */
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

/** The layer of the evaluator. An agent starts with its first evaluation. */
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

/** The layer of the writer. */
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

/** Masks secrets in notes and errors. Documents and suggestions stay unmasked here, because the writer reads them. */
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
