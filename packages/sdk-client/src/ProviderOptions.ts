/**
 * Reads the options of a provider, of a session or of one turn.
 */
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import type { McpProvider } from "@zain/core/McpProvider"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Failure from "./Failure.ts"

/** The options of a session. Fails with `invalid-config` for those that the schema does not have, or does not accept. */
export const read = <A>(
  provider: McpProvider,
  schema: Schema.Codec<A, unknown>,
  given: object,
): Effect.Effect<A, InvalidRequest> => {
  const wrong = (why: string) => invalidConfig(`Invalid options for ${provider}: ${why}`)
  const [key] = Object.keys(given)
  // A `Schema.Struct` without fields accepts any value.
  if (key !== undefined && namesOf(schema)?.length === 0) {
    return Effect.fail(wrong(`\`${key}\` is unknown; this provider has no options.`))
  }
  return Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })(given).pipe(
    Effect.mapError((failure) => wrong(`${SchemaProblem.explain(failure)}.`)),
    Effect.tap((options) => {
      const nul = SchemaProblem.nul(options)
      return nul === undefined ? Effect.void : Effect.fail(wrong(`${nul}.`))
    }),
  )
}

/** The options of one turn. Fails with `not-supported` for those that the schema does not have. */
export const readOfTurn = <A>(
  provider: McpProvider,
  schema: Schema.Codec<A, unknown>,
  given: object,
): Effect.Effect<A, InvalidRequest> => {
  const known = namesOf(schema) ?? []
  const unknown = Object.keys(given).find((key) => !known.includes(key))
  return unknown === undefined
    ? read(provider, schema, given)
    : Effect.fail(
        Failure.notSupported(
          `${provider} has no option \`${unknown}\` of one turn (\`providerOptions\`); it has ${known.join(", ")}. Omit it.`,
        ),
      )
}

/** The names of the options; `undefined` for a schema that is no struct. */
const namesOf = ({ ast }: Schema.Top): ReadonlyArray<string> | undefined =>
  SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0
    ? ast.propertySignatures.map(({ name }) => String(name))
    : undefined
