/**
 * The two tools of a server: one starts a thread, the other goes on with it.
 *
 * @see Codex 0.153 `mcp-server`, whose names and shapes these are
 */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import { clip, longestEcho } from "@zain/tool-server/Clip"
import * as ToolArguments from "@zain/tool-server/ToolArguments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Agent } from "./Agent.ts"

/**
 * What a client asks for. `Open`: whether a reply would go on with the thread, before there is a prompt for it. `options` of
 * these two: what it gives beside the thread, if anything.
 */
export type Asked<StartOptions> =
  | { readonly _tag: "Start"; readonly prompt: string; readonly options: StartOptions }
  | { readonly _tag: "Open"; readonly threadId: string; readonly options?: StartOptions }
  | { readonly _tag: "Reply"; readonly prompt: string; readonly threadId: string; readonly options?: StartOptions }

/**
 * - `list`: as `tools/list` has them
 * - `instructions`: what `initialize` tells a model about them
 * - `startWith`: the tool that starts a thread
 * - `read`: what a call asks for, or one sentence on what is wrong with it; `undefined` for a tool that is not there.
 *   `isOpening`: it has no prompt, and opens the thread
 */
export interface Tools<StartOptions> {
  readonly list: ReadonlyArray<Tool>
  readonly instructions: string
  readonly startWith: string
  readonly read: (
    name: string,
    args: unknown,
    isOpening: boolean,
  ) => Result.Result<Asked<StartOptions>, string> | undefined
}

/** An answer, and where to go on. */
const outputSchema = {
  type: "object" as const,
  properties: {
    threadId: { type: "string", description: "The conversation. Give it to the tool that goes on with it." },
    content: { type: "string", description: "The agent's answer." },
  },
  required: ["threadId", "content"],
}

/** An agent runs commands, writes files and reaches whatever it is allowed to reach. */
const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const Prompt = Schema.Struct({ prompt: Schema.String })
const Reply = Schema.Struct({
  threadId: Schema.optionalKey(Schema.String),
  conversationId: Schema.optionalKey(Schema.String),
  prompt: Schema.String,
})

const prompt = { description: "What the agent is asked to do, in plain words." }

/** The tools of an agent. */
export const make = <StartOptions>(agent: Agent<StartOptions>): Tools<StartOptions> => {
  const startWith = agent.name
  const goOnWith = `${agent.name}-reply`
  const first = ToolArguments.make<{ readonly prompt: string }>(Prompt, { prompt })
  const start = ToolArguments.make(agent.startOptions, {}, ["prompt"])
  const beside = ToolArguments.make(agent.startOptions, {}, Object.keys(Reply.fields))
  const reply = ToolArguments.make<typeof Reply.Type>(Reply, {
    prompt,
    threadId: { description: `The conversation: \`threadId\` of an earlier result of ${startWith} or ${goOnWith}.` },
    conversationId: { description: "An older name of threadId.", deprecated: true },
  })
  const schemaOfStart = {
    ...start.schema,
    properties: { ...first.schema.properties, ...start.schema.properties },
    required: ["prompt", ...((start.schema["required"] as ReadonlyArray<string> | undefined) ?? [])],
  }

  const schemaOfReply = {
    ...reply.schema,
    properties: { ...reply.schema.properties, ...start.schema.properties },
    ...(start.schema["$defs"] === undefined ? {} : { $defs: start.schema["$defs"] }),
  }

  const readOptions = (read: typeof start, args: unknown) =>
    Result.flatMap(read.read(args), (options) => {
      const nul = SchemaProblem.nul(args)
      return nul === undefined ? Result.succeed(options) : Result.fail(`${clip(nul, longestEcho)}.`)
    })
  const readStart = (args: unknown): Result.Result<Asked<StartOptions>, string> => {
    const { prompt: asked, ...rest } = (args ?? {}) as Readonly<Record<string, unknown>>
    return Result.gen(function* () {
      const { prompt } = yield* first.read(asked === undefined ? {} : { prompt: asked })
      const options = yield* readOptions(start, rest)
      return { _tag: "Start" as const, prompt: yield* spoken(prompt), options }
    })
  }

  const readReply = (args: unknown, isOpening: boolean): Result.Result<Asked<StartOptions>, string> =>
    Result.gen(function* () {
      const given = Object.entries((args ?? {}) as Readonly<Record<string, unknown>>)
      const own = Object.fromEntries(given.filter(([name]) => Object.hasOwn(Reply.fields, name)))
      const rest = Object.fromEntries(given.filter(([name]) => !Object.hasOwn(Reply.fields, name)))
      const {
        conversationId,
        prompt,
        threadId = conversationId,
      } = yield* reply.read(isOpening ? { ...own, prompt: "" } : own)
      if (threadId === undefined) return yield* Result.fail("`threadId` is missing.")
      const options = Object.keys(rest).length === 0 ? {} : { options: yield* readOptions(beside, rest) }
      if (isOpening) return { _tag: "Open" as const, threadId, ...options }
      return { _tag: "Reply" as const, prompt: yield* spoken(prompt), threadId, ...options }
    })

  const tool = (name: string, title: string, description: string, inputSchema: object): Tool => ({
    name,
    title,
    description,
    inputSchema: inputSchema as Tool["inputSchema"],
    outputSchema,
    annotations: { title, ...annotations },
  })

  return {
    list: [
      tool(startWith, agent.title, agent.description, schemaOfStart),
      tool(
        goOnWith,
        `${agent.title}: go on`,
        `Goes on with a conversation that ${startWith} began. ${aside}`,
        schemaOfReply,
      ),
    ],
    instructions: `${startWith} gives a task to ${agent.title} and returns its answer with a threadId; ${goOnWith} goes on with it.`,
    startWith,
    read: (name, args, isOpening) => {
      if (name === goOnWith) return readReply(args, isOpening)
      return name === startWith ? readStart(args) : undefined
    },
  }
}

const aside = "Options beside it count from now on; one that cannot be changed any more is refused."

const spoken = (prompt: string): Result.Result<string, string> =>
  prompt.length === 0 ? Result.fail("`prompt` is empty. Send at least one character.") : Result.succeed(prompt)
