/**
 * Parameters of tools in a short notation, and what follows from it: the schema that clients see, and the reading of arguments.
 *
 * `{path!:string, mode:"a"|"b", tags:[string], at:{x:number, y:number}, parent:string,null, value:any, more:object}`: `!` is
 * required, `|` is one of, `[T]` is an array of at most a thousand, `,null` may be null too, `object` may have any members, `{…}`
 * no others. A `string` is a name, a path or a pattern, and has at most 1,024 characters; a `text` has no limit of its own.
 */

import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import type { Arguments, JsonSchema } from "../domain/Catalogue.ts"
import { quoted } from "../domain/Quoted.ts"

/** A tool as it is written down. */
export interface Row {
  readonly name: string
  readonly category: string
  readonly description: string
  /** The description in Japanese. */
  readonly ja: string
  readonly parameters: string
}

interface Member {
  readonly type: Type
  readonly isRequired: boolean
}

export type Type =
  | { readonly kind: "any" | "string" | "text" | "number" | "integer" | "boolean" | "object" | "null" }
  | { readonly kind: "literals"; readonly values: ReadonlyArray<string | number> }
  | { readonly kind: "array"; readonly of: Type }
  | { readonly kind: "union"; readonly of: ReadonlyArray<Type> }
  | { readonly kind: "members"; readonly members: ReadonlyMap<string, Member> }

/** The most characters of a `string`, and values of an array. */
const [longestString, mostValues] = [1_024, 1_000]

const token = /\s*([A-Za-z_]\w*!?|"[^"]*"|\d+|[{}[\]:,|])/y

/** Reads a notation; one that is wrong is a mistake of this program. */
export const parse = (text: string): Type => {
  const tokens: Array<string> = []
  token.lastIndex = 0
  for (let found = token.exec(text); found !== null; found = token.exec(text)) tokens.push(found[1] ?? "")
  let at = 0
  const take = (expected?: string): string => {
    const found = tokens[at++] ?? ""
    if (expected !== undefined && found !== expected) throw new Error(`${expected} expected, not ${found}: ${text}`)
    return found
  }
  const members = (): Type => {
    const found = new Map<string, Member>()
    while (tokens[at] !== "}") {
      const name = take()
      take(":")
      const type = union()
      const isNullable = tokens[at] === "," && tokens[at + 1] === "null" && tokens[at + 2] !== ":"
      if (isNullable) at += 2
      found.set(name.replace("!", ""), {
        type: isNullable ? { kind: "union", of: [type, { kind: "null" }] } : type,
        isRequired: name.endsWith("!"),
      })
      if (tokens[at] === ",") at++
    }
    take("}")
    return { kind: "members", members: found }
  }
  const single = (): Type => {
    const word = take()
    if (word === "{") return members()
    if (word === "[") {
      const of = union()
      take("]")
      return { kind: "array", of }
    }
    if (word.startsWith('"')) return { kind: "literals", values: [word.slice(1, -1)] }
    if (/^\d/.test(word)) return { kind: "literals", values: [Number(word)] }
    return { kind: word as "any" }
  }
  const union = (): Type => {
    const of = [single()]
    while (tokens[at] === "|") {
      at++
      of.push(single())
    }
    const [first] = of
    if (of.every((type) => type.kind === "literals")) {
      return { kind: "literals", values: of.flatMap((type) => (type.kind === "literals" ? type.values : [])) }
    }
    return of.length === 1 && first !== undefined ? first : { kind: "union", of }
  }
  return union()
}

/** The JSON Schema of a type. */
export const schema = (type: Type): JsonSchema => {
  switch (type.kind) {
    case "any":
      return {}
    case "literals":
      return { type: typeof type.values[0] === "string" ? "string" : "number", enum: type.values }
    case "array":
      return { type: "array", items: schema(type.of) }
    case "union": {
      const words = type.of.map(wordOf)
      const isPlain = words.every((kind) => ["string", "number", "boolean", "null"].includes(kind))
      return isPlain ? { type: words } : { anyOf: type.of.map(schema) }
    }
    case "members": {
      const required = [...type.members].filter(([, { isRequired }]) => isRequired).map(([name]) => name)
      return {
        type: "object",
        properties: Object.fromEntries([...type.members].map(([name, member]) => [name, schema(member.type)])),
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false,
      }
    }
    default:
      return { type: wordOf(type) }
  }
}

const wordOf = ({ kind }: Type) => (kind === "text" ? "string" : kind)

const article = (word: string) => (/^[aeio]/.test(word) ? `an ${word}` : `a ${word}`)

const expectation = (type: Type): string => {
  if (type.kind === "literals") return `one of ${type.values.map((value) => JSON.stringify(value)).join(", ")}`
  if (type.kind === "union") return type.of.map(expectation).join(" or ")
  return type.kind === "members" ? "an object" : type.kind === "null" ? "null" : article(wordOf(type))
}

/** What is wrong with a value, with its path; nothing if it is of the type. */
const problem = (type: Type, value: unknown, path: string): string | undefined => {
  const wrong = () => `\`${path}\` is not valid: expected ${expectation(type)}.`
  switch (type.kind) {
    case "any":
      return undefined
    case "null":
      return value === null ? undefined : wrong()
    case "object":
      return isRecord(value) ? undefined : wrong()
    case "integer":
      return Number.isSafeInteger(value) ? undefined : wrong()
    case "literals":
      return type.values.includes(value as string) ? undefined : wrong()
    case "union":
      return type.of.some((one) => problem(one, value, path) === undefined) ? undefined : wrong()
    case "array": {
      if (!Array.isArray(value)) return wrong()
      if (value.length > mostValues && type.of.kind !== "any")
        return `\`${path}\` has more than ${mostValues} values. Make several calls.`
      for (const [at, one] of value.entries()) {
        const found = problem(type.of, one, `${path}[${at}]`)
        if (found !== undefined) return found
      }
      return undefined
    }
    case "members":
      return isRecord(value) ? membersProblem(type.members, value, path) : wrong()
    case "string":
      if (typeof value !== "string") return wrong()
      if (value.length <= longestString) return undefined
      return `\`${path}\` has more than ${longestString} characters. Name a shorter one.`
    default:
      return typeof value === wordOf(type) ? undefined : wrong()
  }
}

const membersProblem = (members: ReadonlyMap<string, Member>, value: Arguments, path: string): string | undefined => {
  const at = (name: string) => (path === "" ? name : `${path}.${name}`)
  for (const name of Object.keys(value)) {
    if (members.has(name)) continue
    const known = members.size === 0 ? "this takes no arguments" : `known are ${[...members.keys()].join(", ")}`
    return `${quoted(at(name))} is unknown: ${known}.`
  }
  for (const [name, { isRequired, type }] of members) {
    const given = value[name]
    if (given === undefined && isRequired) return `\`${at(name)}\` is missing: expected ${expectation(type)}.`
    const found = given === undefined ? undefined : problem(type, given, at(name))
    if (found !== undefined) return found
  }
  return undefined
}

/** The arguments of a tool, or one sentence with the path of what is wrong. */
export const read = (type: Type, args: unknown = {}): Result.Result<Arguments, string> => {
  if (!isRecord(args)) return Result.fail("`arguments` is not an object.")
  const found = problem(type, args, "")
  return found === undefined ? Result.succeed(args) : Result.fail(found)
}
