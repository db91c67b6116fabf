/**
 * Fake agents in this process that are reached without a network.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import type { McpWire, StdioTarget, WireFactory, WireListener } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import type { FakeDialect } from "./FakeDialect.ts"
import { forgets, type InProcess } from "./FakePeerInProcess.ts"
import * as FakeServer from "./FakeServer.ts"
import * as PeerObservation from "./PeerObservation.ts"

/** A fake agent in this process, which an adapter reaches without a network. */
export interface InMemory extends InProcess {
  /**
   * Opens a connection to the fake, for the option `connect` of an adapter; each connection gets a server of its own.
   */
  readonly connect: WireFactory
}

const unreachable = "unreachable"
const silent = "silent"

const at = (name: string, { server: { args, asked = args } }: FakeDialect) =>
  McpConnectionConfig.stdio({ command: name, args: asked })

/**
 * Makes a fake agent that an adapter reaches in this process, without a network, through the adapter's option
 * `connect`.
 *
 * @param dialect the agent's dialect, such as `fakeCodex` of `@zain/codex-client/fake`
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
  message: "The fake agent could not be started: its configuration is `unreachable`. Use `config`.",
  delivery: "not-sent",
})

const exited = new ConnectionUnavailable({
  reason: "server-exited",
  message: "The fake agent exited, as its prompt demanded. Open a new session.",
  delivery: "unknown",
  diagnostics: { exitCode: 42, stderrTail: "fatal: exit demanded" },
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
      // Later than `send`: over a real transport no answer arrives while the request is being written.
      queueMicrotask(() => isOpen && server.receive(sent))
    },
  }
}

/** Passes a message through JSON, as a wire does, so that the receiver shares no object with the sender. */
const copy = (message: JsonRpcMessage) => JsonText.read(JsonText.write(message)) as JsonRpcMessage
