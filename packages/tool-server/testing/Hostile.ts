/** Texts of a size that a message can have, in every text argument of tools. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Effect } from "effect"
import * as InMemory from "./InMemory.ts"

type JsonSchema = Readonly<Record<string, unknown>>

/** A text that would be expensive for expressions, paths, words, parsers, or comparisons. */
const hostile: ReadonlyArray<string> = [" ", "{", "/a", "\n", '"', "e\u0301"]
/** In milliseconds; only ends what hangs. */
const timeout = 60_000
/** Few enough for any expression, and as many as a message over HTTP can have, in bytes of JSON. */
const [few, most] = [60_000, 4_194_304]

/** A schema without references, which do not contain themselves. */
const whole = (schema: unknown, definitions: JsonSchema): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => whole(one, definitions))
  if (typeof schema !== "object" || schema === null) return schema
  const { $ref, ...rest } = schema as { readonly $ref?: string }
  const own = $ref === undefined ? rest : { ...(definitions[$ref.split("/").at(-1) ?? ""] as object), ...rest }
  return Object.fromEntries(Object.entries(own).map(([key, one]) => [key, whole(one, definitions)]))
}

/** The least arguments of a schema. */
const least = (schema: JsonSchema, known: JsonSchema, name = ""): unknown => {
  const {
    enum: values,
    items,
    properties = {},
    required = [],
    type,
  } = schema as {
    readonly enum?: ReadonlyArray<unknown>
    readonly items?: JsonSchema
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: ReadonlyArray<string>
    readonly type?: unknown
  }
  if (name in known) return known[name]
  if (values !== undefined) return values[0]
  if (type === "array") return items === undefined ? [] : [least(items, known)]
  if (type === "object")
    return Object.fromEntries(required.map((one) => [one, least(properties[one] ?? {}, known, one)]))
  return type === "number" || type === "integer" ? 1 : type === "boolean" ? false : "Jump"
}

/** Arguments with a text in one place. */
export type Put = (text: string) => unknown

/**
 * How to put a text into each text of the arguments.
 *
 * @param known values of arguments that name what exists
 */
export const inputs = (
  inputSchema: JsonSchema,
  known: JsonSchema,
): ReadonlyArray<readonly [path: string, put: Put]> => {
  const { $defs = {}, ...schema } = inputSchema
  return texts(whole(schema, $defs as JsonSchema) as JsonSchema, known)
}

const texts = (schema: JsonSchema, known: JsonSchema, name = ""): ReadonlyArray<readonly [path: string, put: Put]> => {
  const {
    anyOf = [],
    enum: values,
    items,
    properties = {},
    type,
  } = schema as {
    readonly anyOf?: ReadonlyArray<JsonSchema>
    readonly enum?: unknown
    readonly items?: JsonSchema
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly type?: unknown
  }
  if (values !== undefined) return []
  if ([type].flat().includes("string")) return [[name, (text) => text]]
  const inner = [
    ...anyOf.flatMap((one) => texts(one, known, name)),
    ...(items === undefined
      ? []
      : texts(items, known, `${name}[]`).map(([path, put]) => [path, (text: string) => [put(text)]] as const)),
  ]
  if (type === "object" && Object.keys(properties).length === 0) {
    return [
      [`${name}.a`, (text) => ({ a: text })],
      [`${name}.…`, (text) => ({ [text]: "a" })],
    ]
  }
  const others = type === "object" ? (least(schema, known) as object) : {}
  const members = Object.entries(properties).flatMap(([key, property]) =>
    texts(property, known, name === "" ? key : `${name}.${key}`).map(
      ([path, put]) => [path, (text: string) => ({ ...others, [key]: put(text) })] as const,
    ),
  )
  return [...inner, ...members]
}

/** One argument of one tool. `call` succeeds when the call has ended, however that was. */
export interface Case {
  readonly name: string
  readonly put: Put
  readonly call: (args: unknown) => Effect.Effect<unknown>
}

/** The CPU of this thread for a call, without that of the system for its memory, in milliseconds. */
export const cpu = Effect.fnUntraced(function* <A, E>(call: Effect.Effect<A, E>) {
  const before = process.threadCpuUsage()
  yield* call
  return process.threadCpuUsage(before).user / 1_000
})

/**
 * The arguments that take this thread over 200 ms of CPU, or more than in proportion to their length, with both figures.
 *
 * @param parts what the texts repeat
 */
export const faults = Effect.fnUntraced(function* (cases: ReadonlyArray<Case>, parts = hostile) {
  const found: Array<string> = []
  // Loads what the tools need.
  for (const one of cases) yield* cpu(one.call(one.put("a".repeat(1_025))))
  for (const one of cases) {
    for (const part of parts) {
      // A collection of garbage may fall into one of three; work of less than 40 ms is too small to compare.
      const costs = Effect.fnUntraced(function* (length: number) {
        const args = one.put(`a${part.repeat(length / (Buffer.byteLength(JSON.stringify(part)) - 2))}a`)
        const first = yield* cpu(one.call(args))
        const isPlain = first < 40 || first > 1_000
        return isPlain ? [first] : [first, yield* cpu(one.call(args)), yield* cpu(one.call(args))]
      })
      const fault = Effect.gen(function* () {
        const early = Math.min(...(yield* costs(few)))
        const whole = early > 200 ? early : Math.min(...(yield* costs(most)))
        if (whole < 40) return undefined
        const halves = early > 200 ? [early] : yield* costs(most / 2)
        const half = halves.reduce((sum, one) => sum + one) / halves.length
        if (whole <= 200 && whole <= 2.5 * half) return undefined
        return `${one.name} ${JSON.stringify(part)}: ${whole} ms, half ${half} ms`
      })
      let last = yield* fault
      // Busy neighbours cost each call: what is too much is so each time.
      for (let again = 0; again < 4 && last !== undefined; again++) last = yield* fault
      if (last !== undefined) found.push(last)
    }
  }
  return found
})

/**
 * Every text argument of a server's tools, over a session.
 *
 * @param metaOf the `_meta` of the calls for an argument
 */
export const served = Effect.fnUntraced(function* (
  server: ToolServer,
  metaOf: (path: string) => Readonly<Record<string, unknown>> = () => ({}),
) {
  const { transport } = yield* InMemory.join(server)
  const client = new Client({ name: "test", version: "0" })
  yield* InMemory.connect(client, transport)
  const { tools } = yield* Effect.promise(() => client.listTools())
  const call = (params: { name: string; arguments: Record<string, unknown> }) =>
    Effect.promise(() => client.callTool(params, undefined, { timeout }).catch(() => {}))
  return tools.flatMap(({ inputSchema, name }) =>
    inputs(inputSchema, {}).map(
      ([path, put]): Case => ({
        name: `${name} ${path}`,
        put,
        call: (args) => call({ name, arguments: args as Record<string, unknown>, ...{ _meta: metaOf(path) } }),
      }),
    ),
  )
})
