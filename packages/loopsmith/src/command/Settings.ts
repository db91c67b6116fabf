/**
 * What the environment says, for whatever the arguments do not.
 *
 * @see system page, Environment
 */
import * as FrontOptions from "@zain/tool-server/FrontOptions"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { defaultTarget } from "../Evaluation.ts"
import * as OptionValue from "./OptionValue.ts"

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * - `host`, `port`: where a server listens
 * - `logLevel`: how much is told on standard error; each command has a level of its own
 * - `isMock`: whether the mock evaluator judges
 * - `maxIterations`, `target`: when the loop ends
 * - `promptPath`: the template of the evaluation's prompt; our own by default
 * - `timeout`: how long one attempt at an evaluation may take
 * - `maxBuffer`: the longest answer of a judge, in bytes
 */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly logLevel: OptionValue.LogLevel | undefined
  readonly isMock: boolean
  readonly maxIterations: number
  readonly target: number
  readonly promptPath: string | undefined
  readonly timeout: Duration.Duration
  readonly maxBuffer: number
}

/** What holds unless somebody says otherwise. */
export const defaults: Settings = {
  host: "127.0.0.1",
  port: 23_100,
  logLevel: undefined,
  isMock: false,
  maxIterations: 5,
  target: defaultTarget,
  promptPath: undefined,
  timeout: Duration.minutes(2),
  maxBuffer: 20 * 1024 * 1024,
}

/** More rounds than anybody waits for. */
export const mostIterations = 1_000

/** No engine holds a longer text, and a message is one. */
const longestText = 512 * 1024 * 1024 - 24

/**
 * @param env the variables; an empty one is as good as none
 * @returns the settings, or one sentence on what is wrong
 */
export const read = (env: Environment): Result.Result<Settings, string> => {
  const one = <A, B>(name: string, otherwise: B, as: (name: string, given: string) => Result.Result<A, string>) => {
    const given = env[name]
    return given === undefined || given.trim() === ""
      ? Result.succeed<A | B>(otherwise)
      : (as(name, given.trim()) as Result.Result<A | B, string>)
  }
  const upTo = (max: number, min: number) => (name: string, given: string) =>
    FrontOptions.wholeNumber(name, given, max, min)
  return Result.gen(function* () {
    return {
      host: yield* one("MCP_HOST", defaults.host, (_, given) => Result.succeed(given)),
      port: yield* one("MCP_PORT", defaults.port, upTo(65_535, 0)),
      logLevel: yield* one("LOG_LEVEL", defaults.logLevel, OptionValue.oneOf(OptionValue.logLevels)),
      isMock: yield* one("USE_MOCK_EVALUATOR", defaults.isMock, OptionValue.yesOrNo),
      maxIterations: yield* one("MAX_ITERATIONS", defaults.maxIterations, upTo(mostIterations, 1)),
      target: yield* one("TARGET_SCORE", defaults.target, OptionValue.score),
      promptPath: yield* one("EVALUATION_PROMPT_PATH", defaults.promptPath, (_, given) => Result.succeed(given)),
      timeout: yield* one("CODEX_TIMEOUT", defaults.timeout, OptionValue.millis),
      maxBuffer: yield* one("CODEX_MAX_BUFFER", defaults.maxBuffer, upTo(longestText, 1)),
    }
  })
}
