/**
 * `zain doctor`: checks agents and servers of this machine.
 */

import { homedir } from "node:os"
import type { Agent } from "@zain/agent-list/Agent"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Redactor from "@zain/process/Redactor"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Output from "../Output.ts"
import * as SafePath from "../SafePath.ts"
import * as StatusLine from "../StatusLine.ts"
import * as WrongUsage from "../WrongUsage.ts"
import * as AgentCheck from "./AgentCheck.ts"
import type { Asked } from "./DoctorOptions.ts"
import { about, type Finding, type Status, worst } from "./Finding.ts"
import * as FindingText from "./FindingText.ts"
import * as Platform from "./Platform.ts"
import * as Programs from "./Programs.ts"
import * as ReportRedaction from "./ReportRedaction.ts"
import * as ServerArgument from "./ServerArgument.ts"
import * as ServerCheck from "./ServerCheck.ts"
import type * as ServerSummary from "./ServerSummary.ts"
import * as StartCheck from "./StartCheck.ts"

/**
 * The object that `--json` prints. Names are stable; members may be added.
 */
export interface DoctorReport {
  readonly version: 1
  readonly status: Status
  readonly platform: Platform.Platform
  readonly agents: ReadonlyArray<AgentCheck.AgentSummary>
  readonly servers: ReadonlyArray<ServerSummary.ServerSummary>
  readonly findings: ReadonlyArray<Finding>
  /** What only a turn shows. */
  readonly notChecked: ReadonlyArray<string>
}

const command = ["zain", "doctor"]

/** Agents that are checked at the same time. */
const parallel = 4

/** Runs the checks, and returns the exit code. */
export const run = Effect.fnUntraced(function* (asked: Asked, agents: ReadonlyArray<Agent>) {
  const { env } = process
  const { timeout } = asked
  const token = Option.map(asked.bearerTokenEnv, (name) => ({ name, value: env[name] }))
  if (Option.isSome(token) && (token.value.value ?? "") === "") {
    return yield* WrongUsage.fail(command, `--bearer-token-env ${token.value.name}: the variable is not set.`)
  }
  const bearer = Option.getOrUndefined(Option.flatMap(token, ({ value }) => Option.fromNullishOr(value)))
  const path = SafePath.make(env, process.cwd(), env["HOME"] ?? homedir())
  const secrets = [...ReportRedaction.secretsOf(env), ...(bearer === undefined ? [] : [bearer])]
  // Secrets of a command line are redacted by value too.
  const redact = Redactor.make(secrets)
  const given: Array<ServerArgument.ServerArgument> = []
  for (const text of asked.server) {
    const options = { bearer, env: { PATH: path.path }, ...ServerCheck.limits(timeout) }
    const server = ServerArgument.parse(text, options)
    if (Result.isFailure(server)) return yield* WrongUsage.fail(command, server.failure)
    given.push({ ...server.success, subject: redact(server.success.subject) })
  }

  const clean = ReportRedaction.make(env)
  const report = yield* Effect.scoped(
    Effect.gen(function* () {
      const status = yield* StatusLine.make(Output.of(process.stderr))
      const say = (text: string) => status.show(clean(text))
      return yield* examine(asked, given, agents, { timeout, secrets, path, say })
    }),
  )
  const shown = ReportRedaction.all(report, env)
  const output = Output.of(process.stdout)
  yield* output.write(asked.json ? FindingText.inJson(shown) : FindingText.inWords(shown, output))
  return report.status === "problem" ? 1 : 0
})

const examine = Effect.fnUntraced(function* (
  asked: Asked,
  given: ReadonlyArray<ServerArgument.ServerArgument>,
  known: ReadonlyArray<Agent>,
  options: Pick<AgentCheck.Options, "timeout" | "secrets" | "path" | "say">,
) {
  const { env } = process
  const { path, say, secrets, timeout } = options
  const platform = Platform.make(ownVersion)
  const findings: Array<Finding> = [Platform.check(platform)]
  const agents: Array<AgentCheck.AgentSummary> = []
  const servers: Array<ServerSummary.ServerSummary> = []

  const wanted = Option.match(asked.provider, {
    onSome: (name) => known.filter((agent) => agent.name === name),
    onNone: () => (given.length === 0 ? known : []),
  })
  if (wanted.length > 0) {
    const isAskedFor = Option.isSome(asked.provider)
    const programs = yield* Programs.make(env, path.path, timeout)
    const all = yield* Effect.forEach(wanted, (agent) => Effect.promise(agent.facts))
    const check = (agent: Agent, at: number) =>
      AgentCheck.check(agent, all[at] as AgentFacts, { ...options, env, programs, isAskedFor })
    for (const checked of yield* Effect.forEach(wanted, check, { concurrency: parallel })) {
      findings.push(...checked.findings)
      servers.push(...checked.servers)
      agents.push(checked.agent)
    }
    if (!isAskedFor && agents.every(({ program }) => program === undefined)) {
      findings.push(about("Agents")("agent-missing.all", all))
    }
  }
  for (const { config, secrets: own, subject } of given) {
    const probed = yield* ServerCheck.probe(subject, config, { secrets: [...secrets, ...own] }, say)
    findings.push(...probed.findings)
    servers.push(probed.summary)
  }
  const notChecked = agents.length === 0 ? [] : StartCheck.notChecked
  const report: DoctorReport = { version: 1, status: worst(findings), platform, agents, servers, findings, notChecked }
  return report
})
