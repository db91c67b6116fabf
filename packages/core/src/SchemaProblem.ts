/**
 * What is wrong with a value, said by its path and never by its content: the content may be a secret.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"

/**
 * One line for people: where the first problem is, and of what kind.
 *
 * @param error the failure of a decoder
 * @param within where the value itself is
 */
export const describe = (error: Schema.SchemaError, within: ReadonlyArray<PropertyKey> = []): string => {
  const { kind, path } = first(error.issue, within)
  return `${path.length === 0 ? "the value" : `\`${path.map(String).join(".")}\``} ${kind}`
}

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly kind: string
}

const first = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): Problem => {
  switch (issue._tag) {
    case "Pointer":
      return first(issue.issue, [...path, ...issue.path])
    case "Filter":
    case "Encoding":
      return first(issue.issue, path)
    case "Composite":
      return first(issue.issues[0], path)
    case "MissingKey":
      return { path, kind: "is missing" }
    case "UnexpectedKey":
      return { path, kind: "is not known here" }
    default:
      return { path, kind: "is not valid" }
  }
}
