/**
 * The judge and the writer that the arguments and the environment select.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { variables } from "../SeedWords.ts"
import * as Options from "./Options.ts"

/** An agent and its limits. */
export interface AgentChoice {
  readonly agent: Agent
  /** The path of the agent's program; looked up on PATH by default. */
  readonly command: string | undefined
  /** The agent's model; the agent's own configuration decides by default. */
  readonly model: string | undefined
  /** The names of variables that the agent gets beside the usual ones. */
  readonly passed: ReadonlyArray<string>
  /** The timeout of one attempt. */
  readonly timeout: Duration.Duration
  /** The maximum number of attempts. */
  readonly attempts: number
}

/**
 * The judge: the mock's formula, or an agent. `prompt` is the path of its prompt template, `maxBuffer` its longest answer
 * in bytes.
 */
export type Judge =
  | { readonly agent: "mock" }
  | (AgentChoice & { readonly prompt: string | undefined; readonly maxBuffer: number })

type Improving = OptionTable.Values<ReturnType<typeof Options.improve>>
type Judging = OptionTable.Parsed<ReturnType<typeof Options.serve>>

/** Options that have no effect with the mock judge. */
const ofNoUse: ReadonlySet<string> = new Set(["judge-command", "judge-model", "timeout", "prompt"])

/** The greatest length of a string in V8: each message is one string. */
const maxStringLength = 512 * 1024 * 1024 - 24

const truth: OptionValue.Reader<boolean> = (name, given) =>
  Result.map(OptionValue.oneOf(["true", "false", "1", "0"])(name, given), (word) => word === "true" || word === "1")

/** The longest delay of a timer, in milliseconds. */
const maxTimerMillis = 2 ** 31 - 1

/** A duration, or a bare number of milliseconds. */
const millisOrDuration: OptionValue.Reader<Duration.Duration> = (name, given) => {
  const millis = /^\d{1,10}$/.test(given) ? Number(given) : 0
  return millis > 0 && millis <= maxTimerMillis
    ? Result.succeed(Duration.millis(millis))
    : OptionValue.duration(name, given)
}

/** The judge. Fails with a sentence about a wrong variable or option. */
export const judge = (
  { given, values }: Pick<Judging, "given" | "values">,
  env: OptionTable.Environment,
  agents: Options.Agents,
): Result.Result<Judge, string> =>
  Result.gen(function* () {
    const isMock = yield* OptionTable.fromVariable(env, "USE_MOCK_EVALUATOR", truth, false)
    const timeout = yield* OptionTable.fromVariable(env, variables.timeout, millisOrDuration, Duration.minutes(2))
    const sizes = OptionValue.wholeNumber(1, maxStringLength)
    const maxBuffer = yield* OptionTable.fromVariable(env, variables.maxBuffer, sizes, 20 * 1024 * 1024)
    const agent = values.judge ?? (isMock ? "mock" : (agents[0] ?? "mock"))
    if (agent === "mock") {
      const misplaced = given.find((option) => ofNoUse.has(option))
      return misplaced === undefined
        ? { agent }
        : yield* Result.fail(`--${misplaced} has no effect with the mock judge. Choose an agent with --judge.`)
    }
    return {
      agent,
      command: values["judge-command"],
      model: values["judge-model"],
      passed: values.env,
      attempts: values.attempts,
      timeout: values.timeout ?? timeout,
      prompt: values.prompt,
      maxBuffer,
    }
  })

/** The writer. Fails with a sentence if there is no agent. */
export const writer = (values: Improving, agents: Options.Agents): Result.Result<AgentChoice, string> => {
  const agent = values.writer ?? Options.usualWriter(agents)
  if (agent === undefined) return Result.fail("No agent is available as the writer.")
  return Result.succeed({
    agent,
    command: values["writer-command"],
    model: values["writer-model"],
    passed: values.env,
    attempts: values.attempts,
    timeout: values["writer-timeout"],
  })
}
