/**
 * Checks one agent: its program, version, login, start and MCP servers, without running a turn.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as Redactor from "@zain/process/Redactor"
import type { AgentFacts, Login } from "@zain/sdk-client/AgentFacts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SafePath from "../SafePath.ts"
import { about, type Finding } from "./Finding.ts"
import * as LoginCheck from "./LoginCheck.ts"
import type * as Programs from "./Programs.ts"
import * as ServerCheck from "./ServerCheck.ts"
import type * as ServerSummary from "./ServerSummary.ts"
import * as StartCheck from "./StartCheck.ts"
import * as Version from "./Version.ts"
import * as VersionCheck from "./VersionCheck.ts"

/** An agent in the report. `version`: as it prints it. `steps`: the time of each question, in ms */
export interface AgentSummary {
  readonly name: string
  readonly program?: string
  readonly version?: string
  readonly login?: Login
  readonly steps: ReadonlyArray<{ readonly name: string; readonly millis: number }>
}

/** The result of the checks of one agent. */
export interface Checked {
  readonly findings: ReadonlyArray<Finding>
  readonly servers: ReadonlyArray<ServerSummary.ServerSummary>
  readonly agent: AgentSummary
}

/** The options of all checks of an agent. `env`: the host's environment. `path`: where programs are searched */
export interface Options extends Pick<ServerCheck.Options, "timeout" | "secrets" | "say"> {
  readonly env: SafePath.Variables
  readonly path: SafePath.SafePath
  /** Whether a missing program is a problem, and not a warning. */
  readonly isAskedFor: boolean
  readonly programs: Programs.Programs
}

export const check = Effect.fnUntraced(function* (
  agent: Agent,
  facts: AgentFacts,
  options: Options,
): Effect.fn.Return<Checked> {
  const { env, isAskedFor, path, programs, say, secrets } = options
  const redact = Redactor.make(secrets)
  const findings: Array<Finding> = []
  const steps: Array<AgentSummary["steps"][number]> = []
  const timed = <A>(name: string, work: Effect.Effect<A>) => {
    say(`${facts.title}: ${name}`)
    return Effect.map(Effect.timed(work), ([took, result]) => {
      const millis = Math.round(Duration.toMillis(took))
      steps.push({ name, millis })
      return { ...result, millis }
    })
  }

  const end = (known: Partial<AgentSummary>, servers: Checked["servers"] = []): Checked => ({
    findings,
    servers,
    agent: { name: agent.name, ...known, steps },
  })

  const found = about(facts.title)
  const { passedOver, program: command } = SafePath.find(facts.program, path, env)
  findings.push(...passedOver.map((folder) => found("agent-passed-over", facts, folder)))
  findings.push(command === undefined ? found("agent-missing", facts, isAskedFor) : found("agent-found", command))
  if (command === undefined) return end({})
  const program = programs.of(facts, command)

  const versioned = yield* timed(`${facts.program} --version`, VersionCheck.check(facts, program, path, redact))
  const { version } = versioned
  if (version === undefined) {
    findings.push(versioned.finding)
    return end({ program: command })
  }
  findings.push({ ...versioned.finding, millis: versioned.millis })
  const known = { program: command, version: Version.format(version) }
  const homeless = LoginCheck.home(facts, env)
  if (homeless !== undefined) {
    findings.push(homeless)
    return end(known)
  }

  const asked = yield* timed("login state", LoginCheck.check(facts, program, redact))
  const started = yield* timed("start", StartCheck.check(facts, program, env, redact))
  const [answer, ...others] = asked.findings
  if (answer !== undefined && started.readsConfig) findings.push({ ...answer, millis: asked.millis })
  const [start, ...more] = started.findings
  if (start !== undefined) findings.push({ ...start, millis: started.millis }, ...more, ...others)

  const place = { ...options, path: path.path, directory: programs.directory }
  const served = yield* ServerCheck.check(agent, facts, command, version, place)
  findings.push(...served.findings)
  const isKnown = asked.login !== undefined && started.readsConfig
  return end(isKnown ? { ...known, login: asked.login } : known, served.servers)
})
