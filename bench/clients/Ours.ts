/**
 * Our client at its public door: the port, with the Codex adapter behind it.
 */
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { McpConnectionConfig } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Client, type MakeClient, maxMessageBytes, type Peer, type Session } from "./Client.ts"

const configOf = (peer: Peer): McpConnectionConfig =>
  peer.transport === "stdio"
    ? McpConnectionConfig.stdio({ command: peer.command, args: peer.args, maxMessageBytes: maxMessageBytes })
    : McpConnectionConfig.streamableHttp({ url: peer.url, maxMessageBytes: maxMessageBytes })

/** Every call is a promise of its own. */
export const ours: MakeClient = async (peer): Promise<Client> => {
  const scope = Scope.makeUnsafe()
  const client = await Effect.runPromise(Scope.provide(CodexMcpClientAdapter.make({ profile: "native" }), scope))
  const config = configOf(peer)
  return {
    open: async (onEvent): Promise<Session> => {
      const session = await Effect.runPromise(client.openSession(config))
      if (onEvent !== undefined) {
        Effect.runFork(
          Stream.runForEach(client.events(session), ({ _tag }) =>
            _tag === "Raw" ? Effect.sync(onEvent) : Effect.void,
          ),
        )
      }
      return {
        call: (content) => Effect.runPromise(client.execute(session, { content })),
        close: () => Effect.runPromise(client.closeSession(session)),
      }
    },
    end: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
