/**
 * Codex, over its own `codex app-server`: one process for all clients and threads.
 *
 * @see docs of Codex 0.169, app-server
 */
import type { HostGuard } from "@zain/sdk-client/stdio/HostGuard"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Agent, AgentAttachment } from "../Agent.ts"
import type { AgentCommand } from "../AgentCommand.ts"
import * as ThreadStore from "../ThreadStore.ts"
import * as CodexHost from "./CodexHost.ts"
import * as CodexServer from "./CodexServer.ts"
import { CodexStartOptions } from "./CodexStartOptions.ts"
import * as CodexThreads from "./CodexThreads.ts"
import * as CodexTurn from "./CodexTurn.ts"

/**
 * Codex as an agent.
 *
 * @param command the program and its environment; it starts when a client needs it
 * @param guard who ends it when this process dies
 */
export const make = (
  command: AgentCommand,
  guard: HostGuard,
): Effect.Effect<Agent<CodexStartOptions>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const host = yield* CodexHost.make(CodexServer.open(command, guard))
    const threads = CodexThreads.make(ThreadStore.make(command.env, "codex", CodexStartOptions))
    const { giveUp } = host
    const { modelPatience } = command

    const attachment: AgentAttachment<CodexStartOptions> = {
      start: (options) => Effect.flatMap(host.server, (server) => threads.start(server, options)),
      turn: (threadId, prompt, listener) => {
        const once = Effect.gen(function* () {
          const server = yield* host.server
          yield* threads.load(server, threadId)
          const turn = CodexTurn.run({ server, threadId, prompt, listener, modelPatience, giveUp, scope })
          return yield* Effect.tapError(turn, (error) =>
            Effect.sync(() => {
              if (CodexThreads.isUnknown(error)) server.loaded.delete(threadId)
            }),
          )
        })
        // Codex may put a thread away that nobody has used for long. What it refuses it has not begun.
        return threads.inOrder(threadId)(Effect.retry(once, { times: 1, while: CodexThreads.isUnknown }))
      },
    }
    return {
      name: "codex",
      title: "Codex",
      description:
        "Runs a Codex session: an agent that reads and writes files, runs commands, and answers when it is done.",
      startOptions: CodexStartOptions,
      attach: Effect.as(host.hold, attachment),
    }
  })
