/**
 * What is wrong with a value, by its path and never by its content: the content may be a secret.
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { clip } from "./McpError.ts"

/**
 * Describes the first problem of a value in one line, by its path and kind, such as "`cwd` is missing".
 *
 * @param error the failure of a schema's decoder, such as `Schema.decodeUnknownResult`; only its first problem is
 *   described
 * @param within the path that leads to the value, such as `providerOptions`: paths in the result begin with it. None by
 *   default
 */
export const describe = (error: Schema.SchemaError, within: ReadonlyArray<PropertyKey> = []): string => {
  const { kind, path } = first(error.issue, within)
  return `${placeOf(path)} ${kind}`
}

/**
 * Describes the first problem as `describe` does, and how to correct it: with the allowed values or the known keys, at
 * most 20, or with the annotation `expected` of the schema or of the check that failed.
 *
 * @param error the failure of a schema's decoder, such as `Schema.decodeUnknownResult`; only its first problem is
 *   described
 * @param within the path that leads to the value, such as `providerOptions`: paths in the result begin with it. None by
 *   default
 *
 * @example
 * ```ts
 * import { SchemaProblem } from "@zain/core"
 * import * as Result from "effect/Result"
 * import * as Schema from "effect/Schema"
 *
 * const read = Schema.decodeUnknownResult(Schema.Struct({ sandbox: Schema.Literals(["read-only", "none"]) }))
 * Result.mapError(read({ sandbox: "all" }), (error) => SchemaProblem.explain(error))
 * // `sandbox` is not one of read-only, none
 * ```
 */
export const explain = (error: Schema.SchemaError, within: ReadonlyArray<PropertyKey> = []): string => {
  const { check, kind, leaf, path } = first(error.issue, within)
  const values = valuesOf(leaf)
  if (values !== undefined) return `${placeOf(path)} is not ${values.length > 1 ? "one of " : ""}${listed(values)}`
  const keys = keysOf(leaf)
  const expected =
    leaf._tag === "InvalidType" ? (SchemaAST.resolve(leaf.ast)?.["expected"] ?? types[leaf.ast._tag]) : check
  const hint = keys.length > 0 ? `known keys: ${listed(keys)}` : expected === undefined ? "" : `expected ${expected}`
  return `${placeOf(path)} ${kind}${hint === "" ? "" : `; ${hint}`}`
}

/**
 * Finds a NUL character in a value: no argument, variable or path of a process can hold one.
 *
 * @param value a value that a schema has decoded; its keys are searched too
 * @param within the path that leads to the value, such as `providerOptions`: paths in the result begin with it. None by
 *   default
 * @returns one line with the path; `undefined` if there is no NUL character
 *
 * @example
 * ```ts
 * import { SchemaProblem } from "@zain/core"
 *
 * SchemaProblem.nul({ cwd: "/srv\0" }) // `cwd` holds a NUL character
 * ```
 */
export const nul = (value: unknown, within: ReadonlyArray<PropertyKey> = []): string | undefined => {
  if (typeof value === "string") return value.includes("\0") ? `${placeOf(within)} holds a NUL character` : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const problem = nul(key, within) ?? nul(member, [...within, key])
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The longest path in a message and the longest key of it, in bytes: they come from the value, and the remedy must fit. */
const [maxPathLength, maxKeyLength] = [400, 100]

const placeOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.length === 0
    ? "the value"
    : `\`${clip(path.map((key) => clip(String(key), maxKeyLength)).join("."), maxPathLength)}\``

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly kind: string
  readonly leaf: SchemaIssue.Issue
  /** What a value must be to pass the check that failed. */
  readonly check?: string | undefined
}

const first = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): Problem => {
  switch (issue._tag) {
    case "Pointer":
      return first(issue.issue, [...path, ...issue.path])
    case "Filter": {
      const problem = first(issue.issue, path)
      // A check may name a member: what it expects of the whole value does not describe that.
      return problem.path.length > path.length ? problem : { check: issue.filter.annotations?.expected, ...problem }
    }
    case "Encoding":
      return first(issue.issue, path)
    case "Composite":
      return first(issue.issues[0], path)
    case "MissingKey":
      return { path, kind: "is missing", leaf: issue }
    case "UnexpectedKey":
      return { path, kind: "is not known here", leaf: issue }
    default:
      return { path, kind: "is not valid", leaf: issue }
  }
}

/** What a value of the wrong type is expected to be, for schemas without the annotation `expected`. */
const types: Readonly<Record<string, string>> = {
  Arrays: "an array",
  Boolean: "true or false",
  Number: "a number",
  Objects: "an object",
  String: "a string",
}

/** The values of a schema that consists of literals only. */
const valuesOf = (issue: SchemaIssue.Issue): ReadonlyArray<PropertyKey> | undefined =>
  issue._tag === "AnyOf" || issue._tag === "InvalidType" ? literalsOf(issue.ast) : undefined

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<PropertyKey> | undefined => {
  if (SchemaAST.isLiteral(ast)) return [String(ast.literal)]
  if (!SchemaAST.isUnion(ast)) return undefined
  const literals = ast.types.map(literalsOf)
  return literals.length > 0 && literals.every((one) => one !== undefined) ? literals.flat() : undefined
}

const keysOf = (issue: SchemaIssue.Issue): ReadonlyArray<PropertyKey> =>
  issue._tag === "UnexpectedKey" && SchemaAST.isObjects(issue.ast)
    ? issue.ast.propertySignatures.map(({ name }) => name)
    : []

/** How many values or keys a message lists. */
const maxListed = 20

const listed = (names: ReadonlyArray<PropertyKey>): string =>
  `${names.slice(0, maxListed).map(String).join(", ")}${names.length > maxListed ? ", …" : ""}`
