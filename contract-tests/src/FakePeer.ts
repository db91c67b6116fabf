/**
 * Fake agents: MCP servers that speak Codex's and Claude Code's dialects and do what `ContractScript` tells them to. As
 * a process over stdio, or in this process: over Streamable HTTP, over SSE, or over nothing at all.
 */
import { type FSWatcher, watch } from "node:fs"
import { basename, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { McpWire, StdioTarget, WireFactory, WireListener } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FakeClaudeCode from "./FakeClaudeCode.ts"
import * as FakeCodex from "./FakeCodex.ts"
import * as FakePeerHost from "./FakePeerHost.ts"
import * as FakePeerHttp from "./FakePeerHttp.ts"
import { compileCache, isAlive, type LoggedProcess, logVariable, reader, silentVariable } from "./FakePeerLog.ts"
import * as FakePeerSse from "./FakePeerSse.ts"
import * as FakeServer from "./FakeServer.ts"
import * as PeerObservation from "./PeerObservation.ts"

/** Whose MCP server the fake pretends to be. */
export type DialectName = "codex" | "claude-code"

/** What an adapter of each dialect looks for on the command line of a server. */
const serverArguments: Readonly<Record<DialectName, ReadonlyArray<string>>> = {
  codex: ["mcp-server"],
  "claude-code": ["mcp", "serve"],
}

/**
 * - `log`: the file in which the process notes what it saw; `observe` reads it
 * - `silent`: never answer anything
 */
export interface CommandOptions {
  readonly log?: string
  readonly silent?: boolean
}

/** What `McpConnectionConfig.stdio` takes. */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/**
 * How to start a fake agent as a process.
 *
 * **Example**
 *
 * ```ts
 * import { FakePeer } from "@zain/contract-tests"
 * import { McpConnectionConfig } from "@zain/core"
 *
 * McpConnectionConfig.stdio(FakePeer.command("codex", { log: "/tmp/peer.log" }))
 * ```
 */
export const command = (dialect: DialectName, { log, silent }: CommandOptions = {}): Command => ({
  command: process.execPath,
  args: [program, dialect, ...serverArguments[dialect]],
  env: {
    ...(log === undefined ? {} : { [logVariable]: log }),
    ...(silent === true ? { [silentVariable]: "1" } : {}),
    ...compileCache(),
  },
})

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
const program = fileURLToPath(new URL(`./FakePeerProcess.${extension}`, import.meta.url))

/**
 * What the fake agents that write to a log saw.
 *
 * @param log the file that `command` was given; it need not exist yet, its directory must
 */
export const observe = (log: string): Required<PeerObservation.PeerObservation> => {
  const record = PeerObservation.make()
  const processes: Array<LoggedProcess> = []
  const read = reader(log)
  const look = () => {
    for (const entry of read()) {
      if ("prompt" in entry) record.saw(entry)
      else processes.push(entry)
    }
  }
  const refresh = Effect.sync(look)
  /** Reads on whenever the file changes. The watch begins before the first look, so that nothing is missed. */
  const watching = <A>(wait: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.acquireUseRelease(
      Effect.sync((): FSWatcher => watch(dirname(log), (_, name) => name === basename(log) && look())),
      () => Effect.andThen(refresh, wait),
      (watcher) => Effect.sync(() => watcher.close()),
    )
  return {
    received: (text) => watching(record.observation.received(text)),
    cancelled: (text) => watching(record.observation.cancelled(text)),
    count: (text) => Effect.andThen(refresh, record.observation.count(text)),
    leftovers: Effect.map(refresh, () => processes.filter(isAlive).map(({ pid }) => `process ${pid}`)),
  }
}

/**
 * A fake agent in this process.
 *
 * - `config`, `unreachable`, `silent`: see `ContractSubject`
 * - `peer`: what it saw
 * - `cannot`: what a fake of an agent's own MCP server is excused from; lay your own beside it
 */
export interface InProcess {
  readonly config: McpConnectionConfig.McpConnectionConfig
  readonly unreachable: McpConnectionConfig.McpConnectionConfig
  readonly silent: McpConnectionConfig.McpConnectionConfig
  readonly peer: Required<PeerObservation.PeerObservation>
  readonly cannot: typeof forgets
}

/** What the agents' own MCP servers cannot do. */
export const forgets = {
  resume: "the agent's own MCP server forgets its threads when it ends",
  elsewhere: "the agent's own MCP server forgets its threads when it ends",
}

/**
 * How a fake agent is reached over HTTP. `replies`: whether a call is answered by a stream of events, the default, or by
 * plain JSON, which holds the result alone: neither events of the call nor questions to the client pass.
 */
export type ServeOptions =
  | { readonly transport: "streamable-http"; readonly replies?: FakePeerHttp.Replies }
  | { readonly transport: "sse" }

/** `connections`: every connection to the fake, idle ones too, once all that was closed is seen to be closed. */
export interface Served extends InProcess {
  readonly connections: Effect.Effect<ReadonlyArray<string>>
}

/**
 * A fake agent that listens on a free port of 127.0.0.1 until the Scope ends. Every session is a server of its own.
 * `peer.leftovers` names sessions that were not ended, and requests that are still under way.
 *
 * **Example**
 *
 * ```ts
 * import { CodexMcpClientAdapter } from "@zain/codex-client"
 * import { FakePeer, McpClientContractSuite } from "@zain/contract-tests"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const fake = yield* FakePeer.serve("codex", { transport: "streamable-http" })
 *   const make = CodexMcpClientAdapter.make({ profile: "native" })
 *   return yield* McpClientContractSuite.check({ ...fake, name: "Codex over HTTP", provider: "codex", make })
 * })
 *
 * Effect.runPromise(Effect.scoped(program)).then((report) => console.log(McpClientContractSuite.format(report)))
 * ```
 */
export const serve = (dialect: DialectName, options: ServeOptions): Effect.Effect<Served, never, Scope.Scope> =>
  Effect.gen(function* () {
    const record = PeerObservation.make()
    const newDialect = () => (dialect === "codex" ? FakeCodex.make() : FakeClaudeCode.make({ args: [], env: {} }))
    const { transport } = options
    const isSse = transport === "sse"
    const { connections, origin, requests } = yield* FakePeerHost.listen(
      isSse ? FakePeerSse.make(newDialect, record) : FakePeerHttp.make(newDialect, record, options.replies ?? "events"),
    )
    const { path, silentPath } = isSse ? FakePeerSse : FakePeerHttp
    const sessions = record.observation.leftovers
    // Over SSE a session ends with its stream; over Streamable HTTP it is ended before.
    const looks = isSse ? [requests, sessions] : [sessions, requests]
    return {
      config: { transport, serverUrl: `${origin}${path}` },
      unreachable: { transport, serverUrl: `${nowhere}${path}` },
      silent: { transport, serverUrl: `${origin}${silentPath}` },
      cannot: forgets,
      peer: { ...record.observation, leftovers: Effect.map(Effect.all(looks), (found) => found.flat()) },
      connections,
    }
  })

/** The port of a service that nobody has run for decades. */
const nowhere = "http://127.0.0.1:1"

/** `connect`: opens a wire to it; every wire is a server of its own. */
export interface InMemory extends InProcess {
  readonly connect: WireFactory
}

const unreachable = "unreachable"
const silent = "silent"

/** No argument of Codex's, as a client may ask a program that has it for its version. */
const at = (name: string, dialect: DialectName) =>
  McpConnectionConfig.stdio({ command: name, args: dialect === "codex" ? [] : serverArguments[dialect] })

/**
 * A fake agent that lives in this process and is reached without a network.
 *
 * **Example**
 *
 * ```ts
 * import { CodexMcpClientAdapter } from "@zain/codex-client"
 * import { FakePeer } from "@zain/contract-tests"
 *
 * const fake = FakePeer.inMemory("codex")
 * CodexMcpClientAdapter.make({ profile: "native", connect: fake.connect })
 * ```
 */
export const inMemory = (dialect: DialectName): InMemory => {
  const record = PeerObservation.make()
  return {
    connect: (target) =>
      target.transport !== "stdio" || target.command === unreachable
        ? Effect.fail(notThere)
        : Effect.acquireRelease(
            Effect.sync(() => openWire(dialect, target, record)),
            ({ close }) => Effect.sync(close),
          ),
    config: at("fake", dialect),
    unreachable: at(unreachable, dialect),
    silent: at(silent, dialect),
    cannot: forgets,
    peer: record.observation,
  }
}

const notThere = new ConnectionUnavailable({
  reason: "spawn-failed",
  message: "The fake agent cannot be started: it was told to be unreachable. Use its good configuration.",
  delivery: "not-sent",
})

const exited = new ConnectionUnavailable({
  reason: "server-exited",
  message: "The fake agent has exited, as it was told to. Open a new session.",
  delivery: "unknown",
  diagnostics: { exitCode: 42, stderrTail: "fatal: told to exit" },
})

const openWire = (
  dialect: DialectName,
  target: StdioTarget,
  record: PeerObservation.PeerRecord,
): McpWire & { readonly close: () => void } => {
  let listener: WireListener | undefined
  let isOpen = true
  const released = record.holds(`wire to a fake ${dialect}`)
  const close = () => {
    isOpen = false
    released()
  }
  const server = FakeServer.make(dialect === "codex" ? FakeCodex.make() : FakeClaudeCode.make(target), {
    send: (message) => {
      if (isOpen) listener?.message(copy(message))
    },
    saw: record.saw,
    exit: () => {
      if (!isOpen) return
      close()
      listener?.ended(exited)
    },
  })
  return {
    close,
    diagnostics: () => ({}),
    listen: (heard) => {
      listener = heard
    },
    send: (message) => {
      if (!isOpen || target.command === silent) return
      const sent = copy(message)
      // Not before the sender has returned: on a real wire nothing answers while one still writes.
      queueMicrotask(() => isOpen && server.receive(sent))
    },
  }
}

/** As a wire does: what arrives is what JSON carries, and shares nothing with what was sent. */
const copy = (message: JsonRpcMessage) => JSON.parse(JSON.stringify(message)) as JsonRpcMessage
