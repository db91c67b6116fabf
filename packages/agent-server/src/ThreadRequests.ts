/**
 * Answers `zain/threads`: requests about an agent's stored conversations.
 */
import { realpath } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { clip, maxEchoLength } from "@zain/command/Clip"
import type { McpThread, McpThreadTurn } from "@zain/core/McpThreads"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import { visibleLine } from "@zain/core/TerminalText"
import type { ClientAttachment } from "@zain/tool-server/ClientAttachment"
import { internalError, type ProtocolError } from "@zain/tool-server/ProtocolError"
import type { CallContext } from "@zain/tool-server/ToolServer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type AgentError, invalidConfig, notSupported, unknownThread } from "./AgentError.ts"
import type { AgentAttachment } from "./ServedAgent.ts"
import type { StoredThreads } from "./ServedThreads.ts"
import * as ThreadHandle from "./ThreadHandle.ts"
import * as ThreadLock from "./ThreadLock.ts"
import * as ToolCall from "./ToolCall.ts"
import * as TurnEvents from "./TurnEvents.ts"
import * as Workspace from "./Workspace.ts"

/** The client of a request. */
export interface Caller extends Pick<CallContext, "client">, Pick<ToolCall.Caller<never>, "principal" | "roots"> {
  readonly attachment: ClientAttachment<Pick<AgentAttachment<never>, "threads">>
}

const text = Schema.String.check(Schema.isNonEmpty())
const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))
const about = { threadId: text }
const cursor = Schema.optionalKey(text)

const Request = Schema.Union([
  Schema.Struct({
    action: Schema.Literal("list"),
    cwd: Schema.optionalKey(text),
    cursor,
    limit: upTo(100),
    archived: Schema.Boolean,
  }),
  Schema.Struct({ action: Schema.Literal("read"), ...about, cursor, limit: upTo(16) }),
  Schema.Struct({ action: Schema.Literal("fork"), ...about, turn: Schema.optionalKey(text) }),
  Schema.Struct({ action: Schema.Literal("rename"), ...about, title: text.check(Schema.isMaxLength(200)) }),
  Schema.Struct({ action: Schema.Literals(["archive", "unarchive", "delete"]), ...about }),
])
type Asked = typeof Request.Type
const read = Schema.decodeUnknownResult(Request)

/** Answers a request. An interrupt interrupts the agent's work. */
export const answer = (
  params: Readonly<Record<string, unknown>>,
  { attachment, client, principal, roots }: Caller,
): Effect.Effect<Readonly<Record<string, unknown>>, ProtocolError> => {
  const asked = read(params)
  if (Result.isFailure(asked)) return Effect.fail(refusal(invalidConfig(`${SchemaProblem.describe(asked.failure)}.`)))
  return attachment.use(({ threads }) =>
    threads === undefined
      ? Effect.fail(ToolCall.refused("This agent's stored conversations are not accessible.", unsupported))
      : perform(threads, asked.success, principal, roots).pipe(
          Effect.catch((error) => Effect.fail(refusal(error))),
          Effect.provideService(Workspace.Roots, roots),
          Effect.provideService(ThreadLock.Client, ToolCall.clientIdOf(client)),
        ),
  )
}

const unsupported = { "zain/request": "not-supported" }

const perform = Effect.fnUntraced(function* (
  threads: StoredThreads,
  asked: Asked,
  principal: string | undefined,
  roots: ReadonlyArray<string>,
): Effect.fn.Return<Readonly<Record<string, unknown>>, AgentError> {
  if (asked.action === "list") {
    // A list would give each client the threads of all others.
    if (principal !== undefined) return yield* unlisted
    const { action: _action, ...query } = asked
    return yield* list(threads, query, roots)
  }
  const threadId = ThreadHandle.open(asked.threadId, principal)
  if (threadId === undefined) return yield* unknownThread(`There is no thread ${clip(asked.threadId, maxEchoLength)}.`)
  if (roots.length > 0 && !(yield* isInside(roots, yield* threads.placeOf(threadId)))) {
    return yield* Effect.fail(Workspace.outside(roots, threadId))
  }
  switch (asked.action) {
    case "read": {
      const { action: _action, threadId: _handle, ...query } = asked
      const { turns, ...page } = yield* threads.read(threadId, query)
      return { ...page, turns: turns.map(bounded) }
    }
    case "fork": {
      const fork = yield* threads.fork(threadId, asked.turn)
      return { threadId: ThreadHandle.make(fork, principal) }
    }
    default: {
      const { threadId: _handle, ...change } = asked
      yield* threads.change(threadId, change)
      return {}
    }
  }
})

/** The most pages that are searched for a thread inside of the roots. */
const maxPages = 50

const list = Effect.fnUntraced(function* (
  threads: StoredThreads,
  asked: Parameters<StoredThreads["list"]>[0],
  roots: ReadonlyArray<string>,
): Effect.fn.Return<Readonly<Record<string, unknown>>, AgentError> {
  const { cwd } = asked
  if (cwd !== undefined && !isAbsolute(cwd))
    return yield* invalidConfig(`\`cwd\` must be an absolute path; ${clip(cwd, maxEchoLength)} is not.`)
  const real = cwd === undefined ? {} : { cwd: yield* Effect.promise(() => realpath(cwd).catch(() => cwd)) }
  let page = yield* threads.list({ ...asked, ...real })
  const inside = (all: ReadonlyArray<McpThread>) =>
    roots.length === 0
      ? Effect.succeed(all)
      : Effect.filter(all, ({ cwd, threadId }) =>
          Effect.gen(function* () {
            return (yield* isInside(roots, cwd)) && (yield* isInside(roots, yield* threads.placeOf(threadId)))
          }).pipe(Effect.orElseSucceed(() => false)),
        )
  let found = yield* inside(page.threads)
  for (let pages = 1; found.length === 0 && page.next !== undefined && pages < maxPages; pages++) {
    page = yield* threads.list({ ...asked, ...real, cursor: page.next })
    found = yield* inside(page.threads)
  }
  return { ...page, threads: found.map(short) }
})

const isInside = (roots: ReadonlyArray<string>, cwd: string) => Effect.promise(() => Workspace.hold(roots, [cwd]))

/** The lengths of a line and of a first prompt, in characters. */
const [maxLineLength, maxFirstPromptLength] = [200, 1_000]

const short = ({ cwd, firstPrompt, model, title, ...thread }: McpThread): McpThread => ({
  ...thread,
  cwd: clip(cwd.toWellFormed(), 4_096),
  ...(title === undefined ? {} : { title: clip(visibleLine(title).toWellFormed(), maxLineLength) }),
  ...(firstPrompt === undefined ? {} : { firstPrompt: clip(firstPrompt.toWellFormed(), maxFirstPromptLength) }),
  ...(model === undefined ? {} : { model: clip(visibleLine(model), maxLineLength) }),
})

const bounded = ({ events: all, omitted: before = 0, prompt, ...turn }: McpThreadTurn): McpThreadTurn => {
  const kept = TurnEvents.make()
  for (const event of all) kept.add(event)
  const { events, omitted = 0 } = kept.end()
  return {
    ...turn,
    prompt: clip(prompt.toWellFormed(), TurnEvents.maxTextLength),
    events,
    ...(before + omitted === 0 ? {} : { omitted: before + omitted }),
  }
}

const unlisted = notSupported(
  "This server has several clients, each with a token, and lists no threads: a thread's id is valid only for the client that received it. Use the `threadId` of your responses.",
)

const refusal = ({ delivery = "unknown", message, reason }: AgentError): ProtocolError => {
  switch (reason) {
    case "unknown-thread":
      return ToolCall.threadRefused(message, "lost")
    case "thread-held":
      return ToolCall.threadRefused(message, "held")
    case "invalid-config":
      return ToolCall.refused(message, { "zain/config": "invalid" })
    case "not-supported":
      return ToolCall.refused(message, unsupported)
    case "agent-refused":
      return ToolCall.refused(message, {})
    default:
      return internalError(message, { "zain/delivery": delivery })
  }
}
