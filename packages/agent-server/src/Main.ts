/**
 * A command of this package, from its arguments to its exit code.
 */
import { Console } from "node:console"
import { readFileSync } from "node:fs"
import { styleText } from "node:util"
import * as Environment from "@zain/sdk-client/Environment"
import * as HostGuard from "@zain/sdk-client/stdio/HostGuard"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Agent } from "./Agent.ts"
import type { AgentCommand } from "./AgentCommand.ts"
import * as AgentServer from "./AgentServer.ts"
import * as CommandLine from "./CommandLine.ts"
import * as ProgramPath from "./ProgramPath.ts"
import * as StdioTransport from "./StdioTransport.ts"

/**
 * What is different about a command.
 *
 * - `install`: how people get the agent's program
 * - `environment`: names of the variables that reach the agent, beside what any program needs
 * - `agent`: makes the agent; its processes end with the Scope
 */
export interface Command<StartOptions> extends CommandLine.CommandName {
  readonly install: string
  readonly environment: ReadonlyArray<string>
  readonly agent: (
    command: AgentCommand,
    guard: HostGuard.HostGuard,
  ) => Effect.Effect<Agent<StartOptions>, never, Scope.Scope>
}

/** What a signal makes of the exit code, as shells have it. */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Runs a command on this process's arguments. The process exits when it is over. */
export const run = <StartOptions>(command: Command<StartOptions>) => {
  // Nobody may be left to read them; who serves over one of them listens for itself.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
  const parsed = CommandLine.parse(process.argv.slice(2), command)
  if (Result.isFailure(parsed)) return refuse(command, `${parsed.failure} See ${command.name} --help.`, 2)
  const asked = parsed.success
  if (asked._tag === "Help") return exit(0, CommandLine.help(command))
  if (asked._tag === "Version") return exit(0, `${version()}\n`)

  const program = ProgramPath.find(asked.command, process.env)
  if (program === undefined) {
    const where = asked.command === command.program ? "on PATH" : `at ${asked.command}`
    return refuse(
      command,
      `There is no program ${command.program} ${where}. Install it with "${command.install}", or name it with --command.`,
      1,
    )
  }
  // A stray line among the messages would end the conversation.
  globalThis.console = new Console(process.stderr, process.stderr)
  const { env } = Environment.make(process.env, [...command.environment, ...asked.passed], { env: {} })
  const agentCommand = { command: program, args: asked.agentArgs, env, modelPatience: asked.modelPatience }
  const work = Effect.gen(function* () {
    const guard = yield* HostGuard.make
    const agent = yield* command.agent(agentCommand, guard)
    const server = yield* AgentServer.make(agent, { version: version(), approvalTimeout: asked.approvalTimeout })
    return yield* Effect.raceFirst(serve(server, asked.front), signalled)
  })
  Effect.runFork(Effect.scoped(work).pipe(Effect.provideService(Logger.LogToStderr, true))).addObserver((ended) => {
    if (Exit.isSuccess(ended)) return exit(ended.value)
    const error = Cause.squash(ended.cause)
    refuse(command, error instanceof Error ? error.message : String(error), 1)
  })
}

/** Ends when there is nobody left to serve. */
const serve = (server: AgentServer.AgentServer, front: CommandLine.Front) =>
  Effect.gen(function* () {
    if (front.kind === "stdio") {
      if (process.stdin.isTTY)
        process.stderr.write(`Waiting for an MCP client on standard input. See ${server.name} --help.\n`)
      const session = yield* server.session(StdioTransport.make(process.stdin, process.stdout))
      yield* session.ended
      return 0
    }
    // Loaded by those who use it: most clients start this command over and over, for stdio.
    const HttpFront = yield* Effect.promise(() => import("./http/HttpFront.ts"))
    const TokenFile = yield* Effect.promise(() => import("./http/TokenFile.ts"))
    const { allowedHosts, allowedOrigins, host, json, kind, maxSessions, port, sessionIdle, tokenFile } = front
    const { url } = yield* HttpFront.serve({
      server,
      kind,
      host,
      port,
      tokens: tokenFile === undefined ? [] : yield* TokenFile.read(tokenFile),
      allowedHosts,
      allowedOrigins,
      limits: {
        ...(maxSessions === undefined ? {} : { maxSessions }),
        ...(sessionIdle === undefined ? {} : { sessionIdle }),
      },
    })
    process.stderr.write(`Listening on ${styleText("bold", url, { stream: process.stderr })}\n`)
    if (json) process.stdout.write(`${JSON.stringify({ url })}\n`)
    return yield* Effect.never
  })

/** The exit code of the first signal to end. At the second one nothing is waited for; children end all the same. */
const signalled = Effect.callback<number>((resume) => {
  let isEnding = false
  for (const [name, code] of Object.entries(signals)) {
    process.on(name, () => {
      if (isEnding) process.exit(code)
      isEnding = true
      resume(Effect.succeed(code))
    })
  }
})

const version = (): string => {
  const read: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  return (read as { readonly version: string }).version
}

const refuse = ({ name }: CommandLine.CommandName, message: string, code: number) =>
  process.stderr.write(`${name}: ${message}\n`, () => process.exit(code))

/** How long a client may take to read the last of what was said, in milliseconds. */
const lastWords = 1000

const exit = (code: number, text = "") => {
  const leave = () => process.exit(code)
  setTimeout(leave, lastWords)
  process.stdout.write(text, leave)
}
