/**
 * Which agents a command drives, by its arguments.
 */
import * as AgentProgram from "@zain/tool-server/AgentProgram"
import * as FrontOptions from "@zain/tool-server/FrontOptions"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as OptionValue from "./OptionValue.ts"
import type { Settings } from "./Settings.ts"

/** The agents that there are. */
export const agents = AgentProgram.names
export type AgentName = AgentProgram.AgentName

/**
 * - `command`: the agent's program, found on PATH by default
 * - `model`: the name of its model, by its own configuration by default
 * - `passed`: variables that reach it beside the usual ones
 * - `timeout`: how long one attempt may take
 * - `attempts`: how many there are at most
 */
export interface AgentChoice {
  readonly agent: AgentName
  readonly command: string | undefined
  readonly model: string | undefined
  readonly passed: ReadonlyArray<string>
  readonly timeout: Duration.Duration
  readonly attempts: number
}

/**
 * Who judges: a formula, or an agent.
 *
 * - `prompt`: the file with the template of its prompt
 * - `maxBuffer`: the longest answer, in bytes
 */
export type Judge =
  | { readonly agent: "mock" }
  | (AgentChoice & { readonly prompt: string | undefined; readonly maxBuffer: number })

const text = { type: "string" } as const
const texts = { type: "string", multiple: true } as const

/** The options of a judge, as `node:util` parses them. */
export const judgeOptions = {
  judge: text,
  "judge-command": text,
  "judge-model": text,
  timeout: text,
  attempts: text,
  prompt: text,
  env: texts,
} as const

export interface JudgeValues {
  readonly judge?: string | undefined
  readonly "judge-command"?: string | undefined
  readonly "judge-model"?: string | undefined
  readonly timeout?: string | undefined
  readonly attempts?: string | undefined
  readonly prompt?: string | undefined
  readonly env?: ReadonlyArray<string> | undefined
}

/** The same for a writer. Its time is its own, and the variables are for both. */
export const writerOptions = {
  writer: text,
  "writer-command": text,
  "writer-model": text,
  "writer-timeout": text,
} as const

export interface WriterValues {
  readonly writer?: string | undefined
  readonly "writer-command"?: string | undefined
  readonly "writer-model"?: string | undefined
  readonly "writer-timeout"?: string | undefined
  readonly attempts?: string | undefined
  readonly env?: ReadonlyArray<string> | undefined
}

const mostAttempts = 10

/** How many attempts there are unless somebody says otherwise. */
export const usualAttempts = 3

/** How long a writer may take for a document unless somebody says otherwise. */
export const writerTimeout = Duration.minutes(10)

const forAll = (
  values: Pick<WriterValues, "attempts" | "env">,
): Result.Result<Pick<AgentChoice, "attempts" | "passed">, string> =>
  Result.gen(function* () {
    const passed: Array<string> = []
    for (const name of values.env ?? []) passed.push(yield* OptionValue.variable("--env", name))
    return {
      passed,
      attempts: yield* FrontOptions.wholeNumber(
        "--attempts",
        values.attempts ?? String(usualAttempts),
        mostAttempts,
        1,
      ),
    }
  })

/** An option that says something about the mock evaluator, which has nothing to say it about. */
const ofNoUse = ["judge-command", "judge-model", "timeout", "prompt"] as const

/** @returns the judge, or one sentence on what is wrong */
export const judge = (values: JudgeValues, settings: Settings): Result.Result<Judge, string> =>
  Result.gen(function* () {
    const usual = settings.isMock ? "mock" : "codex"
    const agent = yield* OptionValue.oneOf([...agents, "mock"] as const)("--judge", values.judge ?? usual)
    const common = yield* forAll(values)
    if (agent === "mock") {
      const misplaced = ofNoUse.find((name) => values[name] !== undefined)
      return misplaced === undefined
        ? { agent }
        : yield* Result.fail(`--${misplaced} is of no use with the mock judge. Choose another with --judge.`)
    }
    return {
      agent,
      ...common,
      command: values["judge-command"],
      model: values["judge-model"],
      timeout: yield* time("--timeout", values.timeout, settings.timeout),
      prompt: values.prompt ?? settings.promptPath,
      maxBuffer: settings.maxBuffer,
    }
  })

/** @returns the writer, or one sentence on what is wrong */
export const writer = (values: WriterValues): Result.Result<AgentChoice, string> =>
  Result.gen(function* () {
    return {
      agent: yield* OptionValue.oneOf(agents)("--writer", values.writer ?? "claude-code"),
      ...(yield* forAll(values)),
      command: values["writer-command"],
      model: values["writer-model"],
      timeout: yield* time("--writer-timeout", values["writer-timeout"], writerTimeout),
    }
  })

const time = (name: string, given: string | undefined, usual: Duration.Duration) =>
  given === undefined ? Result.succeed(usual) : FrontOptions.duration(name, given)
