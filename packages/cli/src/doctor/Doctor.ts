/**
 * `zain doctor`: what works on this machine, what does not, and what to do.
 */

import { homedir } from "node:os"
import * as McpServerProbe from "@zain/sdk-client/McpServerProbe"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type AgentName, names } from "../AgentProgram.ts"
import * as Main from "../Main.ts"
import * as Output from "../Output.ts"
import * as SafePath from "../SafePath.ts"
import * as StatusLine from "../StatusLine.ts"
import * as WrongUsage from "../WrongUsage.ts"
import * as AgentCheck from "./AgentCheck.ts"
import * as Agents from "./Agents.ts"
import * as Discretion from "./Discretion.ts"
import { about, type Finding, type Status, worst } from "./Finding.ts"
import * as Platform from "./Platform.ts"
import * as Programs from "./Programs.ts"
import * as Report from "./Report.ts"
import * as ServerArgument from "./ServerArgument.ts"
import * as ServerFindings from "./ServerFindings.ts"
import * as ServerSummary from "./ServerSummary.ts"

/** - `bearerTokenEnv`: the variable that holds the token for servers over HTTP */
export interface Asked {
  readonly provider: Option.Option<AgentName>
  readonly server: ReadonlyArray<string>
  readonly bearerTokenEnv: Option.Option<string>
  readonly timeout: string
  readonly json: boolean
}

/**
 * What `--json` prints. Names stay, and more may come.
 */
export interface DoctorReport {
  readonly version: 1
  readonly status: Status
  readonly platform: Platform.Platform
  readonly agents: ReadonlyArray<AgentCheck.AgentSummary>
  readonly servers: ReadonlyArray<ServerSummary.ServerSummary>
  readonly findings: ReadonlyArray<Finding>
}

const command = ["zain", "doctor"]

/** Does what was asked for, and gives the exit code. */
export const run = Effect.fnUntraced(function* (asked: Asked) {
  const { env } = process
  const limit = Duration.fromInput(asked.timeout as Duration.Input)
  if (Option.isNone(limit) || !Duration.isPositive(limit.value) || !Duration.isFinite(limit.value)) {
    return yield* WrongUsage.fail(command, `--timeout takes a duration, such as "10 seconds".`)
  }
  const timeout = limit.value
  const token = Option.map(asked.bearerTokenEnv, (name) => ({ name, value: env[name] }))
  if (Option.isSome(token) && (token.value.value ?? "") === "") {
    return yield* WrongUsage.fail(command, `--bearer-token-env ${token.value.name}: there is no such variable.`)
  }
  const bearer = Option.getOrUndefined(Option.flatMap(token, ({ value }) => Option.fromNullishOr(value)))
  const given: Array<ServerArgument.ServerArgument> = []
  for (const text of asked.server) {
    const options = {
      bearer,
      env: {},
      connectTimeout: timeout,
      closeGrace: "1 second",
      maxMessageBytes: 4 * 1024 * 1024,
    } as const
    const server = ServerArgument.parse(text, options)
    if (Result.isFailure(server)) return yield* WrongUsage.fail(command, server.failure)
    given.push(server.success)
  }

  const secrets = [...given.flatMap((one) => one.secrets), ...(bearer === undefined ? [] : [bearer])]
  const discretion = Discretion.make(env, secrets)
  const report = yield* Effect.scoped(
    Effect.gen(function* () {
      const status = yield* StatusLine.make(Output.of(process.stderr))
      const say = (text: string) => status.show(discretion(text))
      return yield* examine(asked, given, timeout, say)
    }),
  )
  const shown = Discretion.all(report, discretion)
  const output = Output.of(process.stdout)
  yield* output.write(asked.json ? Output.json(shown) : Report.inWords(shown, output))
  return report.status === "problem" ? 1 : 0
})

const examine = Effect.fnUntraced(function* (
  asked: Asked,
  given: ReadonlyArray<ServerArgument.ServerArgument>,
  timeout: Duration.Duration,
  say: (text: string) => void,
) {
  const { env } = process
  const path = SafePath.make(env, process.cwd(), env["HOME"] ?? homedir())
  const platform = Platform.make(Main.version())
  const findings: Array<Finding> = [Platform.check(platform)]
  const agents: Array<AgentCheck.AgentSummary> = []
  const servers: Array<ServerSummary.ServerSummary> = []

  const wanted = Option.match(asked.provider, {
    onSome: (name): ReadonlyArray<AgentName> => [name],
    onNone: () => (given.length === 0 ? names : []),
  })
  if (wanted.length > 0) {
    const isAskedFor = Option.isSome(asked.provider)
    const programs = yield* Programs.make(env, path.path)
    for (const name of wanted) {
      const checked = yield* AgentCheck.check(Agents.kinds[name], { env, path, programs, isAskedFor, timeout, say })
      findings.push(...checked.findings)
      servers.push(...checked.servers)
      agents.push(checked.agent)
    }
    if (!isAskedFor && agents.every(({ program }) => program === undefined)) {
      findings.push(
        about("Agents")("problem", "agent-missing", "There is no agent on this machine.", {
          cause: "Neither codex nor claude is on PATH, and Zain drives agents that are installed.",
          fix: wanted.map((name) => Agents.kinds[name].install).join(", or "),
        }),
      )
    }
  }
  for (const { config, subject } of given) {
    say(`${subject}: handshake`)
    const report = yield* McpServerProbe.probe(config)
    findings.push(...ServerFindings.make(subject, report))
    servers.push(ServerSummary.make(subject, report))
  }
  const report: DoctorReport = { version: 1, status: worst(findings), platform, agents, servers, findings }
  return report
})
