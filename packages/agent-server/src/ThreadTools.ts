/**
 * The two tools of a server: one starts a thread, the other continues it.
 *
 * @see Codex 0.153 `mcp-server`, which has the same names and schemas
 */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { clip, maxEchoLength } from "@zain/command/Clip"
import * as ImageData from "@zain/core/ImageData"
import * as JsonSchemaShape from "@zain/core/JsonSchemaShape"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import { isRecord } from "@zain/process/JsonRpc"
import * as ToolArguments from "@zain/tool-server/ToolArguments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Agent, TurnRequest } from "./ServedAgent.ts"

/**
 * A parsed call. `Start` starts a thread; `Check` verifies, without a prompt, that it could; `Reply` continues one; `Open`
 * verifies, without a prompt, that a reply could continue it. `options` of `Open` and `Reply` are those given beside the thread.
 */
export type Asked<StartOptions> =
  | { readonly _tag: "Start"; readonly request: TurnRequest<Partial<StartOptions>>; readonly options: StartOptions }
  | { readonly _tag: "Check"; readonly options: StartOptions }
  | { readonly _tag: "Open"; readonly threadId: string; readonly options?: StartOptions }
  | {
      readonly _tag: "Reply"
      readonly request: TurnRequest<Partial<StartOptions>>
      readonly threadId: string
      readonly options?: StartOptions
    }

/** The tools of an agent. */
export interface Tools<StartOptions> {
  /** The tools for `tools/list`. */
  readonly list: ReadonlyArray<Tool>
  /** The instructions in the result of `initialize`. */
  readonly instructions: string
  /** Name of the tool that starts a thread. */
  readonly startWith: string
  /**
   * Parses a call, or returns one sentence on what is wrong; `undefined` for an unknown tool.
   *
   * @param isOpening whether the call has no prompt, and only checks or opens the thread
   */
  readonly read: (
    name: string,
    args: unknown,
    isOpening: boolean,
  ) => Result.Result<Asked<StartOptions>, string> | undefined
}

const outputSchema = {
  type: "object" as const,
  properties: {
    threadId: { type: "string", description: "The conversation. Give it to the tool that goes on with it." },
    content: { type: "string", description: "The agent's answer." },
    structured: { description: "The answer as a value, if the call had an outputSchema. It may not fit: check it." },
  },
  required: ["threadId", "content"],
}

/** An agent runs commands, writes files, and uses the network where it may. */
const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const Request = Schema.Struct({
  prompt: Schema.String,
  outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  images: Schema.optionalKey(Schema.Array(Schema.String)),
})
const Reply = Schema.Struct({
  threadId: Schema.optionalKey(Schema.String),
  conversationId: Schema.optionalKey(Schema.String),
  ...Request.fields,
})

const request = {
  prompt: { description: "What the agent is asked to do, in plain words." },
  outputSchema: { description: "A JSON Schema of the answer, for this call alone." },
  images: { description: "PNG, JPEG, WebP or GIF images before the prompt, as data URLs with base64." },
}

/** The most parts of a schema that are examined. */
const maxParts = 20_000

/** Makes the tools of an agent. */
export const make = <StartOptions>(agent: Agent<StartOptions>): Tools<StartOptions> => {
  const startWith = agent.name
  const goOnWith = `${agent.name}-reply`
  const first = ToolArguments.make<typeof Request.Type>(Request, request)
  const turn = agent.turnOptions === undefined ? undefined : ToolArguments.make(agent.turnOptions)
  const start = ToolArguments.make(agent.startOptions, {}, Object.keys(Request.fields))
  const beside = ToolArguments.make(agent.startOptions, {}, Object.keys(Reply.fields))
  const reply = ToolArguments.make<typeof Reply.Type>(Reply, {
    ...request,
    threadId: { description: `The conversation: \`threadId\` of an earlier result of ${startWith} or ${goOnWith}.` },
    conversationId: { description: "An older name of threadId.", deprecated: true },
  })
  const forThisCall = `Options of ${agent.title} for this call alone.`
  const ofTurn = turn === undefined ? {} : { turn: { ...turn.schema, description: forThisCall } }
  const schemaOfStart = {
    ...start.schema,
    properties: { ...first.schema.properties, ...ofTurn, ...start.schema.properties },
    required: ["prompt", ...((start.schema["required"] as ReadonlyArray<string> | undefined) ?? [])],
  }

  const schemaOfReply = {
    ...reply.schema,
    properties: { ...reply.schema.properties, ...ofTurn, ...start.schema.properties },
    ...(start.schema["$defs"] === undefined ? {} : { $defs: start.schema["$defs"] }),
  }

  const readOptions = <Options>(read: ToolArguments.ToolArguments<Options>, args: unknown) =>
    Result.flatMap(read.read(args), (options) => {
      const nul = SchemaProblem.nul(args)
      return nul === undefined ? Result.succeed(options) : Result.fail(`${clip(nul, maxEchoLength)}.`)
    })
  type Request = TurnRequest<Partial<StartOptions>>
  const ready = (asked: typeof Request.Type, args: unknown): Result.Result<Request, string> => {
    const given = isRecord(args) ? args["turn"] : undefined
    const request: Result.Result<Request, string> = whole(asked)
    if (turn === undefined || given === undefined) return request
    const options = Result.mapError(readOptions(turn, given), (why) => `In \`turn\`: ${why}`)
    return Result.flatMap(request, (asked) => Result.map(options, (options) => ({ ...asked, options })))
  }
  const readCheck = (args: unknown): Result.Result<Asked<StartOptions>, string> =>
    Result.map(readOptions(start, args), (options) => ({ _tag: "Check", options }))
  const readStart = (args: unknown): Result.Result<Asked<StartOptions>, string> => {
    const [own, rest] = split(args, Request.fields, ofTurn)
    return Result.gen(function* () {
      const asked = yield* first.read(own)
      const options = yield* readOptions(start, rest)
      return { _tag: "Start" as const, request: yield* ready(asked, args), options }
    })
  }

  const readReply = (args: unknown, isOpening: boolean): Result.Result<Asked<StartOptions>, string> =>
    Result.gen(function* () {
      const [own, rest] = split(args, Reply.fields, ofTurn)
      const {
        conversationId,
        threadId = conversationId,
        ...asked
      } = yield* reply.read(isOpening ? { ...own, prompt: "" } : own)
      if (threadId === undefined) return yield* Result.fail("`threadId` is missing.")
      const options = Object.keys(rest).length === 0 ? {} : { options: yield* readOptions(beside, rest) }
      if (isOpening) return { _tag: "Open" as const, threadId, ...options }
      return { _tag: "Reply" as const, request: yield* ready(asked, args), threadId, ...options }
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
      if (name !== startWith) return undefined
      return isOpening ? readCheck(args) : readStart(args)
    },
  }
}

const aside = "Options beside it count from now on; one that cannot be changed any more is refused."

/** The arguments that are fields, and the others, without those that are read elsewhere. */
const split = (args: unknown, fields: object, elsewhere: object) => {
  const all = Object.entries((args ?? {}) as Readonly<Record<string, unknown>>)
  const given = all.filter(([name]) => !Object.hasOwn(elsewhere, name))
  const own = given.filter(([name]) => Object.hasOwn(fields, name))
  return [Object.fromEntries(own), Object.fromEntries(given.filter(([name]) => !Object.hasOwn(fields, name)))] as const
}

const whole = ({ images = [], ...asked }: typeof Request.Type): Result.Result<TurnRequest, string> => {
  if (asked.prompt.length === 0) return Result.fail("`prompt` is empty. Send at least one character.")
  const read: Array<ImageData.ImageData> = []
  for (const [at, url] of images.entries()) {
    const image = ImageData.ofUrl(url)
    if (Result.isFailure(image)) return Result.fail(`\`images.${at}\` ${image.failure}.`)
    read.push(image.success)
  }
  const { outputSchema } = asked
  const fault = outputSchema === undefined ? undefined : JsonSchemaShape.fault(outputSchema, { parts: maxParts })
  if (fault === undefined) return Result.succeed(read.length === 0 ? asked : { ...asked, images: read })
  return Result.fail(`\`${clip(["outputSchema", ...fault.at].join("."), maxEchoLength)}\` ${fault.what}.`)
}
