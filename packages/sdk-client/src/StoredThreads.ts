/**
 * The stored conversations of an agent behind an agent server, by its extension `zain/threads`.
 */
import type { AgentThreads } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import { McpThreadPage, type McpThreadTurn, type McpThreadTurns } from "@zain/core/McpThreads"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AgentServerEvent from "./AgentServerEvent.ts"
import * as Failure from "./Failure.ts"
import type { ToolCallChannel } from "./ToolCallChannel.ts"

/** The extension, which server and client declare. */
export const extension = "zain/threads"

type Answer = Readonly<Record<string, unknown>>

const page = Schema.decodeUnknownOption(McpThreadPage)

/** @param server what messages call the server */
export const make = ({ ask }: Pick<ToolCallChannel, "ask">, server: string): AgentThreads => {
  const asking = <A>(params: Answer, read: (answer: Answer) => A | undefined): Effect.Effect<A, McpError> =>
    Effect.flatMap(ask(extension, params), (answer) => {
      const found = read(answer)
      const about = { server, delivery: "unknown" as const }
      return found === undefined
        ? Effect.fail(Failure.protocolViolation(about, `the result of ${extension} has another form`))
        : Effect.succeed(found)
    })
  return {
    list: (query) => asking({ action: "list", ...query }, (answer) => Option.getOrUndefined(page(answer))),
    read: (threadId, query) => asking({ action: "read", threadId, ...query }, turnsOf),
    fork: (threadId, turn) =>
      asking({ action: "fork", threadId, ...(turn === undefined ? {} : { turn }) }, ({ threadId }) =>
        typeof threadId === "string" ? threadId : undefined,
      ),
    change: (threadId, change) => Effect.asVoid(ask(extension, { threadId, ...change })),
  }
}

const turnsOf = ({ next, turns }: Answer): McpThreadTurns | undefined => {
  if (!Array.isArray(turns) || !(next === undefined || typeof next === "string")) return undefined
  const read = turns.flatMap(turnOf)
  return read.length < turns.length ? undefined : { turns: read, ...(next === undefined ? {} : { next }) }
}

const turnOf = (value: unknown): ReadonlyArray<McpThreadTurn> => {
  const { at, events, omitted, prompt, turn } = isRecord(value) ? value : {}
  if (typeof turn !== "string" || typeof prompt !== "string" || !Array.isArray(events)) return []
  return [
    {
      ...{ turn, prompt, events: events.map(eventOf) },
      ...(typeof at === "number" && Number.isFinite(at) ? { at } : {}),
      ...(Number.isSafeInteger(omitted) && Number(omitted) > 0 ? { omitted: Number(omitted) } : {}),
    },
  ]
}

const eventOf = (event: unknown): McpEventContent =>
  AgentServerEvent.read({ jsonrpc: "2.0", method: "zain/event", params: { event } })
