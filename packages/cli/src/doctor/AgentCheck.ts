/**
 * One agent: is it there, is it one that works, is it logged in, and do its MCP servers answer? No turn is run.
 */
import { statSync } from "node:fs"
import * as Redactor from "@zain/process/Redactor"
import * as McpServerProbe from "@zain/sdk-client/McpServerProbe"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SafePath from "../SafePath.ts"
import type { AgentKind } from "./Agents.ts"
import { about, type Finding } from "./Finding.ts"
import type { Login, Said } from "./Login.ts"
import * as Programs from "./Programs.ts"
import * as ServerFindings from "./ServerFindings.ts"
import * as ServerSummary from "./ServerSummary.ts"
import * as ShellWords from "./ShellWords.ts"
import * as Version from "./Version.ts"

/** - `version`: as it prints it. `steps`: how long its answers took */
export interface AgentSummary {
  readonly name: string
  readonly program?: string
  readonly version?: string
  readonly login?: Login
  readonly steps: ReadonlyArray<{ readonly name: string; readonly millis: number }>
}

/** What was found about a part of the machine. */
export interface Checked {
  readonly findings: ReadonlyArray<Finding>
  readonly servers: ReadonlyArray<ServerSummary.ServerSummary>
  readonly agent: AgentSummary
}

/**
 * - `env`, `path`: the host's environment, and where programs are looked for
 * - `isAskedFor`: whether its absence is a problem
 * - `timeout`: how long a question, and a step of a handshake, may take
 * - `secrets`: what must not be repeated
 * - `say`: hears what is under way
 */
export interface Options {
  readonly env: SafePath.Variables
  readonly path: SafePath.SafePath
  readonly programs: Programs.Programs
  readonly isAskedFor: boolean
  readonly timeout: Duration.Duration
  readonly secrets: ReadonlyArray<string>
  readonly say: (text: string) => void
}

export const check = Effect.fnUntraced(function* (kind: AgentKind, options: Options): Effect.fn.Return<Checked> {
  const { env, path, programs, say, secrets, timeout } = options
  const redact = Redactor.make(secrets)
  const { title } = kind
  const found = about(title)
  const findings: Array<Finding> = []
  const servers: Array<ServerSummary.ServerSummary> = []
  const steps: Array<{ readonly name: string; readonly millis: number }> = []
  const timed = <A>(name: string, work: Effect.Effect<A>) => {
    say(`${title}: ${name}`)
    return Effect.map(Effect.timed(work), ([took, result]) => {
      steps.push({ name, millis: Math.round(Duration.toMillis(took)) })
      return result
    })
  }

  const lastTime = () => {
    const last = steps.at(-1)
    return last === undefined ? {} : { millis: last.millis }
  }

  const { passedOver, program } = SafePath.find(kind.program, path, env)
  for (const folder of passedOver) {
    findings.push(
      found("warning", "agent-passed-over", `There is a ${kind.program} in ${folder}, which is passed over.`, {
        cause:
          "That entry of PATH is relative, or belongs to the project around the working directory, whose files may be " +
          "anybody's: zain starts no agent from there. In a program of yours, local() follows PATH as it is.",
        fix: `If it is the one to use, name it by its whole path: ${kind.factory}.local({ command: "…" }); or install it for all: ${kind.install}`,
      }),
    )
  }
  if (program === undefined) {
    const status = options.isAskedFor ? "problem" : "warning"
    findings.push(found(status, "agent-missing", `There is no program ${kind.program} on PATH.`, { fix: kind.install }))
    return { findings, servers, agent: { name: kind.name, steps } }
  }
  findings.push(found("ok", "agent-found", program))

  const printed = yield* timed(`${kind.program} --version`, programs.run(program, ["--version"]))
  const version = printed._tag === "Printed" ? Version.parse(printed.output) : undefined
  if (printed._tag !== "Printed" || version === undefined) {
    const what =
      printed._tag === "Printed"
        ? `${kind.program} --version gives no version: ${(printed.errors || printed.output.trim() || "it says nothing").slice(-400).toWellFormed()}`
        : Programs.inWords(`${kind.program} --version`, printed)
    findings.push(
      found("problem", "agent-version", redact(what), {
        cause:
          printed._tag === "TimedOut"
            ? "The program hangs, is another one of that name, or needs more time."
            : "The program does not run, or is another one of that name.",
        fix: printed._tag === "TimedOut" ? `Give it more with --timeout, or ${kind.install}` : kind.install,
      }),
    )
    return { findings, servers, agent: { name: kind.name, program, steps } }
  }
  const isUnknown = Version.isPlaceholder(version)
  const isServed = isUnknown || Version.compare(version, kind.oldest) >= 0
  findings.push({ ...versionFinding(kind, version), ...lastTime() })
  const homeless = homeFinding(kind, env)
  if (homeless !== undefined) {
    const agent = { name: kind.name, program, version: Version.format(version), steps }
    return { findings: [...findings, homeless], servers, agent }
  }

  const login = yield* timed("login state", kind.login(programs, program))
  const asked = answered(kind, login, redact)
  findings.push({ ...asked, ...lastTime() })
  const trusted = login._tag === "Answered" ? (login.answer.trusted ?? []) : []
  if (trusted.length > 0) findings.push(found("ok", "agent-trusts", redact(trust(trusted))))

  const place = { command: program, cwd: programs.directory, env: Programs.variables(path.path) }
  const limits = { connectTimeout: timeout, closeGrace: "1 second", maxMessageBytes: 4 * 1024 * 1024 } as const
  const probe = Effect.fnUntraced(function* (subject: string, config: Parameters<typeof McpServerProbe.probe>[0]) {
    say(`${subject}: handshake`)
    const report = yield* McpServerProbe.probe(config, { environment: Programs.passed, secrets })
    findings.push(...ServerFindings.make(subject, report, { kind: "argument", name: subject }))
    servers.push(ServerSummary.make(subject, report))
  })
  if (isServed) yield* probe(kind.server, kind.viaServer({ ...place, ...limits }))
  const own = isUnknown ? undefined : kind.own({ ...place, ...limits }, version)
  if (own !== undefined) yield* probe(`${title}'s own MCP server`, own)
  else if (kind.gone !== undefined && !isUnknown) findings.push(found("ok", "agent-own-server", kind.gone))

  return {
    findings,
    servers,
    agent: {
      name: kind.name,
      program,
      version: Version.format(version),
      ...(login._tag === "Answered" && login.answer.trouble === undefined ? { login: login.answer.login } : {}),
      steps,
    },
  }
})

/** How many directories are named. */
const mostNamed = 10

const trust = (directories: ReadonlyArray<string>): string => {
  const named = directories.slice(0, mostNamed).join(", ")
  const more = directories.length > mostNamed ? `, and ${directories.length - mostNamed} more` : ""
  return `Its user trusts ${named.slice(0, longest).toWellFormed()}${more}. Zain lets settings of these count with \`trustProject\` alone.`
}

const versionFinding = (kind: AgentKind, version: Version.Version): Finding => {
  const found = about(kind.title)
  const text = Version.format(version)
  if (Version.isPlaceholder(version)) {
    return found("warning", "agent-version", `It calls itself ${text}, which is a placeholder and no version.`, {
      cause: "It was built from source, or is a program in its place: whether it fits cannot be told by its version.",
      fix: `${kind.install}@latest`,
    })
  }
  if (Version.compare(version, kind.oldest) < 0) {
    return found("warning", "agent-version", `${text} is older than what ${kind.server} is for.`, {
      ...(kind.ownOnly === undefined ? {} : { cause: kind.ownOnly }),
      fix: `${kind.install}@latest`,
    })
  }
  const order = Version.compare(version, kind.tried)
  const tried = Version.format(kind.tried)
  if (order === 0) return found("ok", "agent-version", `${text}, which this release was tried with.`)
  return order > 0
    ? found("ok", "agent-version", `${text}; this release was tried with ${tried}, and nothing newer.`)
    : found("ok", "agent-version", `${text}; this release was tried with ${tried}.`)
}

/** Codex does not start where its home is named and not there. */
const homeFinding = (kind: AgentKind, env: SafePath.Variables): Finding | undefined => {
  const home = kind.home === undefined ? undefined : env[kind.home]
  if (home === undefined || home === "") return undefined
  const isThere = Result.try(() => statSync(home).isDirectory())
  if (Result.isSuccess(isThere) && isThere.success) return undefined
  const make = ShellWords.command(["mkdir", "-p", home])
  return about(kind.title)(
    "problem",
    "agent-config",
    `${kind.home} is ${home.slice(0, longest).toWellFormed()}, and that is no directory.`,
    {
      cause: `${kind.title} does not start without its home.`,
      fix: `unset ${kind.home}, which makes it the usual one${make === undefined ? "" : `; or ${make}, and log in with ${kind.logIn}`}`,
    },
  )
}

/** What it says when it is asked; an agent that cannot use its configuration does not know its login either. */
const answered = (
  kind: AgentKind,
  said: Programs.Answered<Said> | Programs.Silence,
  redact: (text: string) => string,
): Finding => {
  const found = about(kind.title)
  if (said._tag !== "Answered") return silent(kind, said, redact)
  const { isElsewhere = false, login, trouble } = said.answer
  if (trouble === undefined) return loginFinding(kind, login, isElsewhere)
  return found("problem", "agent-config", redact(trouble.what.slice(0, longest).toWellFormed()), {
    cause: `It cannot use ${trouble.path} and goes on without it: turns run with other settings, and mostly fail.`,
    fix: `Correct ${trouble.path}.`,
  })
}

const longest = 1_000

const silent = (kind: AgentKind, silence: Programs.Silence, redact: (text: string) => string): Finding => {
  const found = about(kind.title)
  const what = redact(Programs.inWords(kind.question, silence))
  const later = silence._tag === "TimedOut" ? "give it more time with --timeout, or " : ""
  if (kind.question !== kind.protocol) {
    return found("warning", "agent-login", `It does not say whether it is logged in: ${what}`, {
      fix: `Run ${kind.question} status by hand and read what it says; or ${later}${kind.install}@latest`,
    })
  }
  return found("problem", "agent-protocol", what, {
    cause: `${kind.server} speaks with it, so no turn can run.`,
    fix: `Run "${kind.protocol}" by hand and read what it says; or ${later}${kind.install}@latest`,
  })
}

const loginFinding = (kind: AgentKind, login: Login, isElsewhere: boolean): Finding => {
  const found = about(kind.title)
  switch (login.state) {
    case "in":
      return found("ok", "agent-login", `Logged in, by ${login.how}, as it says itself.`)
    case "not-needed":
      return found(
        "ok",
        "agent-login",
        "Not logged in, and needs no login: it is configured for another model provider.",
      )
    case "out":
      if (isElsewhere) {
        const what =
          "Not logged in, as it says itself: a turn succeeds only where its model's own address asks for no login."
        return found("warning", "agent-login", what, { fix: kind.logIn })
      }
      return found("problem", "agent-login", "Not logged in, as it says itself: every turn will fail.", {
        fix: kind.logIn,
      })
    case "unknown":
      return found("warning", "agent-login", "It does not say whether it is logged in.", {
        cause: "This version does not know the question.",
        fix: `${kind.install}@latest`,
      })
  }
}
