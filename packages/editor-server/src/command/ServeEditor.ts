/**
 * A profile over a transport, until its client or a signal ends it. `--help` starts faster without it.
 */
import { Console } from "node:console"
import { join } from "node:path"
import type { Environment } from "@zain/command/OptionTable"
import * as Secrets from "@zain/command/Secrets"
import type { EditorProfile } from "@zain/editor-link/domain/EditorProfile"
import * as Carrier from "@zain/editor-link/infrastructure/link/Carrier"
import type { Target } from "@zain/editor-link/infrastructure/link/Target"
import * as EditorServer from "@zain/editor-link/infrastructure/mcp/EditorServer"
import type { FromEnvironment, ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as DebugLog from "@zain/editor-link/infrastructure/record/DebugLog"
import * as Recording from "@zain/editor-link/infrastructure/record/Recording"
import * as Replay from "@zain/editor-link/infrastructure/record/Replay"
import { ownVersion } from "@zain/process/OwnVersion"
import { baseDirectory, directoryOf } from "@zain/process/StateFiles"
import * as Serving from "@zain/tool-server/Serve"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Serve } from "./CommandLine.ts"

/** The name for a client that has none. */
const usualClient = "mcp-client"

/** Where the editors are: those of the arguments, of a fake, or of the environment. */
export const targetsOf = Effect.fnUntraced(function* (
  command: ProfileCommand,
  editors: ReadonlyArray<Target>,
  env: Environment,
) {
  if (editors.length > 0) return editors
  return [yield* Effect.mapError(Effect.fromResult(command.target(env)), (problem) => new Error(problem))]
})

/** An editor in this process. */
const faked = Effect.fnUntraced(function* (command: ProfileCommand) {
  const start = yield* Effect.promise(command.fake)
  const { port, token } = yield* start
  const target: Target = { host: "127.0.0.1", port, ...(token === undefined ? {} : { token }) }
  return target
})

/** An editor that is started when a call needs it. */
const launched = ({ command, values }: Serve, env: Environment) => {
  const start = command.launch?.(values, env)
  return Effect.mapError(
    start ?? Effect.fail(`${command.name} cannot be started by this server.`),
    (problem) => new Error(problem),
  )
}

const connecting = Effect.fnUntraced(function* (profile: EditorProfile, { values }: Serve) {
  if (values.replay !== undefined) {
    const recorded = yield* Replay.read(values.replay)
    return () => Replay.connect(recorded)
  }
  return (target: Target) => Carrier.tcp(profile, target, values["max-frame"])
})

/** How clients reach the server, and what its start says: where they need a token and none is named, one is made. */
const reached = Effect.fnUntraced(function* ({ command, transport, values }: Serve, env: Environment) {
  const { kind } = transport
  if (kind === "stdio" || transport.tokenFile !== undefined || command.needsToken?.(values) !== true)
    return { transport }
  const { isLoopback } = yield* Effect.promise(() => import("@zain/tool-server/http/Guard"))
  // Clients of other machines do not reach the file.
  if (!isLoopback(transport.host)) return { transport }
  const OwnToken = yield* Effect.promise(() => import("@zain/editor-link/infrastructure/mcp/OwnToken"))
  const tokenFile = yield* OwnToken.make(command.name, env)
  return { transport: { ...transport, tokenFile }, announce: OwnToken.announce(command.name, kind, tokenFile) }
})

/** Returns the exit code when the client has gone; never if it listens. */
export const run = Effect.fnUntraced(function* (line: Serve, env: Environment) {
  // A stray line among the messages would end the conversation.
  globalThis.console = new Console(process.stderr, process.stderr)
  const { command, values } = line
  const profile = yield* Effect.promise(() => command.profile(values))
  const replayed: Target = { host: "127.0.0.1", port: 1 }
  const targets =
    values.replay !== undefined
      ? [replayed]
      : values.fake
        ? [yield* faked(command)]
        : values.launch
          ? [yield* launched(line, env)]
          : yield* targetsOf(command, line.editors, env)
  const {
    clientLogLevel = "warn",
    projectRoot,
    timeout,
  } = yield* Effect.mapError(
    Effect.fromResult(command.environment?.(env) ?? Result.succeed<FromEnvironment>({})),
    (problem) => new Error(problem),
  )
  const { announce, transport } = yield* reached(line, env)
  const tokens = yield* Serving.tokensOf(transport)
  const mask = Secrets.masking(
    env,
    tokens.map(({ value }) => Redacted.value(value)),
  )
  const log = DebugLog.isAsked(env["MCP_DEBUG"])
    ? yield* DebugLog.make(values["log-dir"] ?? command.logDirectory?.(env) ?? directoryOf(env, "logs"), mask)
    : DebugLog.off
  const trace = values.record === undefined ? undefined : yield* Recording.make(values.record, mask)
  const server = yield* EditorServer.make(profile, {
    version: ownVersion,
    editors: targets,
    connect: yield* connecting(profile, line),
    timeout: values.timeout ?? timeout,
    longTimeout: values["long-timeout"],
    grace: values.grace,
    connectWait: values["connect-wait"],
    syncWait: values["sync-wait"],
    reconnects: env["DISABLE_AUTO_RECONNECT"]?.trim().toLowerCase() !== "true",
    maxFrame: values["max-frame"],
    project: values.project,
    projectRoot,
    isDevelopment: env["NODE_ENV"] === "development",
    clientName: env["MCP_CLIENT_NAME"]?.trim() || usualClient,
    clientRules: values["client-rule"],
    toolNames: values["tool-names"],
    cacheDirectory:
      values.fake || values.replay !== undefined
        ? undefined
        : (values["cache-dir"] ?? join(baseDirectory(env["XDG_CACHE_HOME"], env, ".cache"), "zain", "editor-server")),
    select: (yield* Effect.promise(async () => command.select?.(env, values.compact))) ?? ((tools) => tools),
    log,
    clientLogLevel,
    mask,
    ...(trace === undefined ? {} : { trace }),
  })
  const pipes = { contentLength: true, maxUnreadBytes: 2 * values["max-frame"] }
  const listening = { routes: server.routes, ...(announce === undefined ? {} : { announce }) }
  return yield* Serving.serve(server, transport, tokens, `zain-editor-mcp ${command.name}`, pipes, listening)
})
