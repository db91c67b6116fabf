/**
 * Fake agents in this process that are reached without a network.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { McpWire, StdioTarget, WireFactory, WireListener } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import type { FakeDialect } from "./FakeDialect.ts"
import { forgets, type InProcess } from "./FakePeerInProcess.ts"
import * as FakeServer from "./FakeServer.ts"
import * as PeerObservation from "./PeerObservation.ts"

/** `connect`: opens a wire to it; every wire is a server of its own. */
export interface InMemory extends InProcess {
  readonly connect: WireFactory
}

const unreachable = "unreachable"
const silent = "silent"

const at = (name: string, { server: { args, asked = args } }: FakeDialect) =>
  McpConnectionConfig.stdio({ command: name, args: asked })

/**
 * A fake agent that lives in this process and is reached without a network.
 *
 * @example
 * ```ts
 * import { type FakeDialect, FakePeer } from "@zain/contract-tests"
 *
 * const connect = (dialect: FakeDialect.FakeDialect) => FakePeer.inMemory(dialect).connect
 * ```
 */
export const inMemory = (dialect: FakeDialect): InMemory => {
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
    cannot: { ...forgets, ...dialect.server.cannot },
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
  dialect: FakeDialect,
  target: StdioTarget,
  record: PeerObservation.PeerRecord,
): McpWire & { readonly close: () => void } => {
  let listener: WireListener | undefined
  let isOpen = true
  const released = record.holds(`wire to a fake ${dialect.name}`)
  const close = () => {
    isOpen = false
    released()
  }
  const server = FakeServer.make(dialect.server.make(target), {
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
