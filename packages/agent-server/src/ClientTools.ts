/**
 * Tools of a client's own: it sends their definitions with a call, and makes the calls of them itself.
 *
 * @see docs/decisions/0035-tools-of-your-own.md
 */
import { createHash } from "node:crypto"
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js"
import type { ToolAnswer } from "@zain/core/AgentConnection"
import * as ToolDefinition from "@zain/core/ToolDefinition"
import { isRecord } from "@zain/process/JsonRpc"
import type { RequestContext } from "@zain/tool-server/Peer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { recordsOf, textOf } from "./JsonMember.ts"

export type Tools = ReadonlyArray<ToolDefinition.ToolDefinition>

/** The experimental capability of both sides, and the member of `_meta` with the definitions. */
export const extension = "zain/tools"

/** Reads the definitions beside a call; none for a client without the capability. */
export const read = (
  meta: Readonly<Record<string, unknown>> | undefined,
  client: ClientCapabilities | undefined,
): Result.Result<Tools, string> => {
  const given = client?.experimental?.[extension] === undefined ? undefined : meta?.[extension]
  return given === undefined ? Result.succeed([]) : ToolDefinition.read(given)
}

/**
 * Has the client call one of its tools. Always succeeds. An interrupt cancels the call at the client, which has a time limit of
 * its own.
 *
 * @param tools the tools of the turn
 */
export const call = (
  tools: Tools,
  { ask }: Pick<RequestContext, "ask">,
  name: string,
  args: unknown,
): Effect.Effect<ToolAnswer> =>
  tools.some((tool) => tool.name === name)
    ? Effect.match(ask({ method: "zain/tool", params: { name, arguments: args } }), {
        onFailure: () => refused("The client could not call the tool."),
        onSuccess: answerOf,
      })
    : Effect.succeed(refused("The client has no such tool in this turn."))

/** An answer without a call. */
export const refused = (why: string): ToolAnswer => ({ text: why, isError: true })

const answerOf = (result: unknown): ToolAnswer => {
  const { isError }: Readonly<Record<string, unknown>> = isRecord(result) ? result : {}
  const texts = recordsOf(isRecord(result) ? result : {}, "content").map((block) => textOf(block, "text") ?? "")
  return { text: texts.join("\n"), isError: isError === true }
}

/** The tools that a thread began with, for its record. */
export const Kept = Schema.Array(
  Schema.Struct({
    /** Its name. */
    name: Schema.String,
    /** A hash of its definition. */
    hash: Schema.String,
  }),
)
export type Kept = typeof Kept.Type

export const kept = (tools: Tools): Kept =>
  tools.map((tool) => ({
    name: tool.name,
    hash: createHash("sha256").update(JSON.stringify(tool)).digest("base64url"),
  }))

/** How tools differ from those that a thread began with, whatever their order; `undefined` if they do not. */
export const difference = (before: Kept, now: Kept): string | undefined => {
  const hashes = new Map(before.map(({ hash, name }) => [name, hash]))
  const other = now.find(({ hash, name }) => hashes.get(name) !== hash)
  if (other !== undefined) return `\`${other.name}\` ${hashes.has(other.name) ? "is another one" : "is new"}`
  const names = new Set(now.map(({ name }) => name))
  const gone = before.find(({ name }) => !names.has(name))
  return gone === undefined ? undefined : `\`${gone.name}\` is missing`
}
