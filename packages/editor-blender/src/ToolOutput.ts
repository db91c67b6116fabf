/**
 * What the tools of Blender return, in JSON: the payloads of operations, and the answers of GraphQL.
 */

import type { JsonSchema } from "@zain/editor-link/domain/Catalogue"
import {
  Boolean as Bool,
  type Codec,
  Finite,
  Array as List,
  NullOr,
  optionalKey as optional,
  Record,
  Struct,
  String as Text,
  toJsonSchemaDocument,
  Unknown,
} from "effect/Schema"

/** An object whose members GraphQL's schema has. */
const Members = Record(Text, Unknown)

/** A failure has `error`; of one that Blender did not see, that and `success` are all. */
const failed = { success: Bool, error: optional(Members) }
const done = { ...failed, message: optional(Text), executionTimeMs: optional(Finite) }
const changed = { ...done, changes: optional(Members) }
const shown = { ...changed, preview: optional(NullOr(Members)) }

/** Made when it is read first. */
const schemaOf = (codec: Codec<unknown, unknown>) => {
  let made: JsonSchema | undefined
  return (): JsonSchema => {
    if (made !== undefined) return made
    const { additionalProperties, ...schema } = toJsonSchemaDocument(codec).schema
    made = schema
    return schema
  }
}

export const applied = schemaOf(Struct({ ...shown, outcomes: optional(List(Unknown)) }))
export const planned = schemaOf(
  Struct({
    ...shown,
    outcomes: optional(List(Unknown)),
    steps: optional(List(Unknown)),
    template: optional(NullOr(Text)),
  }),
)
export const ran = schemaOf(Struct({ ...shown, output: optional(Text), value: optional(Unknown) }))
export const pictured = schemaOf(Struct({ ...done, image: optional(Members) }))
export const stepped = schemaOf(Struct(changed))
export const filed = schemaOf(Struct({ ...done, file: optional(Text), discarded: optional(Text) }))
export const transferred = schemaOf(
  Struct({
    ...done,
    files: optional(List(Text)),
    missing: optional(List(Text)),
    names: optional(List(Text)),
    changes: optional(Members),
  }),
)
export const queried = schemaOf(Struct({ ...failed, data: optional(NullOr(Members)), errors: optional(List(Members)) }))
