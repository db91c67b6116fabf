/**
 * Our client at its public door: the port, with the Codex adapter behind it.
 */
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { McpConnectionConfig } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Client, longestMessage, type MakeClient, oneByOne, type Peer, type Session } from "./Client.ts"

const configOf = (peer: Peer): McpConnectionConfig =>
  peer.transport === "stdio"
    ? McpConnectionConfig.stdio({ command: peer.command, args: peer.args, maxMessageBytes: longestMessage })
    : McpConnectionConfig.streamableHttp({ url: peer.url, maxMessageBytes: longestMessage })

/** @param isInOneFiber whether many calls are one program, or each is run on its own */
const make =
  (isInOneFiber: boolean): MakeClient =>
  async (peer): Promise<Client> => {
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
        const call: Session["call"] = (content) => Effect.runPromise(client.execute(session, { content }))
        return {
          call,
          calls: isInOneFiber
            ? (count, content) =>
                Effect.runPromise(
                  Effect.gen(function* () {
                    for (let done = 0; done < count; done++) yield* client.execute(session, { content })
                  }),
                )
            : oneByOne(call),
          close: () => Effect.runPromise(client.closeSession(session)),
        }
      },
      end: () => Effect.runPromise(Scope.close(scope, Exit.void)),
    }
  }

/** Every call is a promise of its own. */
export const ours: MakeClient = make(false)

/** Many calls are one Effect. */
export const oursInOneFiber: MakeClient = make(true)
