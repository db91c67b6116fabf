/**
 * Codex over `codex app-server`, with one process for all clients and threads.
 *
 * @see docs of Codex 0.169, app-server
 */
import { randomUUID } from "node:crypto"
import * as AgentChannel from "@zain/agent-server/AgentChannel"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import { type AgentError, delivered, notSupported } from "@zain/agent-server/AgentError"
import type { Tools } from "@zain/agent-server/ClientTools"
import * as HandedServers from "@zain/agent-server/HandedServers"
import type { JsonObject } from "@zain/agent-server/JsonMember"
import type { Agent, TurnListener, TurnRequest, TurnResult } from "@zain/agent-server/ServedAgent"
import * as ThreadLock from "@zain/agent-server/ThreadLock"
import { clip } from "@zain/command/Clip"
import { HostGuard } from "@zain/process/HostGuard"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { CodexStartOptions, CodexTurnOptions } from "../CodexOptions.ts"
import * as CodexHome from "../native/CodexHome.ts"
import * as CodexHost from "./CodexHost.ts"
import * as CodexLogin from "./CodexLogin.ts"
import * as CodexOutputSchema from "./CodexOutputSchema.ts"
import * as CodexServer from "./CodexServer.ts"
import type { CodexSettings } from "./CodexSettings.ts"
import * as CodexStoredThreads from "./CodexStoredThreads.ts"
import * as CodexThreadState from "./CodexThreadState.ts"
import * as CodexThreads from "./CodexThreads.ts"
import * as CodexThreadUses from "./CodexThreadUses.ts"
import * as CodexTurn from "./CodexTurn.ts"
import * as CodexTurnSettings from "./CodexTurnSettings.ts"

/**
 * Makes the agent.
 *
 * @param command the program and its environment; it starts with the first call of a client, or with `start` of the command
 */
export const make = Effect.fnUntraced(function* (
  command: AgentCommand,
): Effect.fn.Return<Agent<CodexStartOptions>, never, Scope.Scope | HostGuard | CodexThreads.CodexRecords> {
  const guard = yield* HostGuard
  const lock = ThreadLock.make(CodexHome.of(command.env))
  const host = yield* CodexHost.make((giveUp) =>
    Effect.provideService(CodexServer.open(command, lock, giveUp), HostGuard, guard),
  )
  const threads = yield* CodexThreads.make
  const uses = CodexThreadUses.make(threads, host.running)
  const { modelTimeout } = command

  const start = (options: CodexStartOptions, tools?: Tools) =>
    Effect.flatMap(host.server, (server) => threads.start(server, options, tools)).pipe(
      Effect.mapError((error) => undelivered(error)),
      Effect.retry({ times: 1, while: isUndelivered }),
    )
  // A thread that another server of the client holds exists. The next turn here waits for its turns.
  const open = (threadId: string, options?: CodexStartOptions, tools?: Tools) =>
    Effect.flatMap(lock.isQueued(threadId), (isQueued) =>
      isQueued
        ? Effect.void
        : threads.inOrder(threadId)(
            Effect.flatMap(host.server, (server) => threads.load(server, threadId, options, tools)),
          ),
    )
  const turn = (
    threadId: string,
    { images, options: once, outputSchema, prompt, tools }: TurnRequest<CodexTurnOptions>,
    listener: TurnListener,
    options?: CodexStartOptions,
  ) => {
    const promptId = randomUUID()
    const output = outputSchema === undefined ? undefined : CodexOutputSchema.make(outputSchema)
    if (output !== undefined && Result.isFailure(output)) return Effect.fail(unstrict(output.failure))
    const ready = Effect.flatMap(host.server, (server) =>
      Effect.map(threads.load(server, threadId, options, tools), (settings) => ({ server, settings })),
    )
    /** `before`: why the attempt before failed. */
    const attempt = Effect.fnUntraced(function* (before?: AgentError): Effect.fn.Return<TurnResult, AgentError> {
      listener.stage("due")
      const { server, settings } = yield* Effect.mapError(ready, (error) => undelivered(error, before))
      if (before?.delivery === "unknown" && (yield* mayHave(threads.hasPrompt(server, threadId, promptId)))) {
        return yield* before
      }
      if (yield* CodexLogin.isMissing(server, settings, command)) return CodexLogin.missing
      const run = (turn: CodexSettings) =>
        CodexTurn.run({
          ...{ server, settings: turn, threadId, images, prompt, promptId, listener, modelTimeout },
          output: output?.success,
        }).pipe(
          Effect.tapError((error) =>
            Effect.sync(() => {
              if (CodexThreads.isUnknown(error)) server.threads.delete(threadId)
            }),
          ),
        )
      const { due } = settings
      if (due !== undefined) {
        yield* Effect.mapError(update(server, threadId, due), (error) => undelivered(error, before))
        remain(server, threadId, undefined)
      }
      if (once === undefined) return yield* run(settings)
      const { back, own, turn } = yield* CodexTurnSettings.make(settings, once)
      yield* Effect.mapError(threads.remember(server, threadId, own), (error) => undelivered(error, before))
      return yield* Effect.ensuring(run({ ...settings, turn }), setBack(server, threadId, back))
    })
    // Codex may have unloaded an idle thread, or have ended while idle.
    const again = (error: AgentError) => CodexThreads.isUnknown(error) || isUndelivered(error)
    return threads.inOrder(threadId)(Effect.catchIf(attempt(), again, attempt))
  }
  return {
    name: "codex",
    title: "Codex",
    description:
      "Runs a Codex session: an agent that reads and writes files, runs commands, and answers when it is done.",
    startOptions: CodexStartOptions,
    turnOptions: CodexTurnOptions,
    redact: AgentChannel.redactor(command),
    check: (options) => threads.check(options),
    attach: Effect.gen(function* () {
      const user = yield* uses.join
      // Released before `join`: with the last client Codex ends, so no thread is unloaded.
      yield* host.hold
      const scope = yield* Effect.scope
      const hand = yield* HandedServers.holder(threads.forget)
      const begin = (options: CodexStartOptions, tools: Tools | undefined) =>
        Effect.tap(start(options, tools), (threadId) =>
          Effect.sync(() => {
            hand(threadId, options)
            user.enter(threadId)
          }),
        )
      const using = <A>(threadId: string, options: CodexStartOptions | undefined, work: Effect.Effect<A, AgentError>) =>
        Effect.andThen(
          Effect.sync(() => hand(threadId, options)),
          user.use(threadId, work),
        )
      /** A thread whose required servers have started ahead of its first turn. */
      let ahead:
        | { readonly threadId: string; readonly options: CodexStartOptions; readonly tools: string | undefined }
        | undefined
      return {
        begin: (options, tools) =>
          HandedServers.isRequired(options.mcpServers)
            ? Effect.map(begin(options, tools), (threadId) => {
                ahead = { threadId, options, tools: JSON.stringify(tools) }
              })
            : Effect.asVoid(Effect.forkIn(Effect.ignore(host.server), scope)),
        start: (options, tools) =>
          Effect.suspend(() => {
            const { threadId } = ahead ?? {}
            const isLoaded = threadId !== undefined && host.running()?.threads.get(threadId)?._tag === "Loaded"
            const isAhead = isLoaded && Equal.equals(ahead?.options, options) && ahead?.tools === JSON.stringify(tools)
            ahead = undefined
            return isAhead ? Effect.succeed(threadId) : begin(options, tools)
          }),
        open: (threadId, options, tools) => using(threadId, options, Effect.asVoid(open(threadId, options, tools))),
        turn: (threadId, request, listener, options) =>
          using(threadId, options, turn(threadId, request, listener, options)),
        threads: CodexStoredThreads.make(host.server, threads),
      }
    }),
  }
})

/** `make` with records in files. */
export const live = (command: AgentCommand) => Effect.provide(make(command), CodexThreads.layer(command.env))

/** Sets the thread's own settings again. What fails is due before its next turn. */
const setBack = (server: CodexServer.CodexServer, threadId: string, back: JsonObject): Effect.Effect<void> =>
  Object.keys(back).length === 0
    ? Effect.void
    : update(server, threadId, back).pipe(
        Effect.timeout(CodexServer.interruptTimeout),
        Effect.catch(() => Effect.sync(() => remain(server, threadId, back))),
      )

const update = (server: CodexServer.CodexServer, threadId: string, back: JsonObject) =>
  Effect.asVoid(server.request("thread/settings/update", { threadId, ...back }))

/** @param due what is still to be set back */
const remain = (server: CodexServer.CodexServer, threadId: string, due: JsonObject | undefined) => {
  const settings = CodexThreadState.settingsOf(server.threads.get(threadId))
  if (settings === undefined) return
  const { due: _, ...rest } = settings
  server.threads.set(threadId, CodexThreadState.loaded(due === undefined ? rest : { ...rest, due }))
}

const unstrict = (why: string) => notSupported(`Codex does not support this schema of \`output\`: ${clip(why, 500)}.`)

const isUndelivered = ({ delivery, reason }: AgentError): boolean => delivery !== undefined && reason !== "stalled"

/** An unreadable thread may have the prompt. */
const mayHave = (hasPrompt: Effect.Effect<boolean, AgentError>) => Effect.orElseSucceed(hasPrompt, () => true)

/**
 * The `delivery` of an error that precedes the prompt.
 *
 * @param before error of the previous attempt, which may have sent the prompt. A thread that does not exist never received it
 */
const undelivered = (error: AgentError, before?: AgentError): AgentError => {
  if (before?.delivery === undefined) return error.reason === "agent-exited" ? delivered(error, "not-sent") : error
  return error.reason === "unknown-thread" ? delivered(before, "not-sent") : delivered(error, before.delivery)
}
