/**
 * Reads members of an agent's messages, whose types are not trusted.
 */
import { isRecord } from "@zain/process/JsonRpc"

/** A message of an agent, or an object in one. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A member that is a string, else `undefined`. */
export const textOf = (record: JsonObject, key: string): string | undefined => {
  const value = record[key]
  return typeof value === "string" ? value : undefined
}

/** A member that is a whole number, else 0. */
export const countOf = (record: JsonObject, key: string): number => {
  const value = record[key]
  return Number.isSafeInteger(value) ? (value as number) : 0
}

/** A member that is an object, else an empty one. */
export const recordOf = (record: JsonObject, key: string): JsonObject => {
  const value = record[key]
  return isRecord(value) ? value : {}
}

/** The objects in a member that is an array, else none. */
export const recordsOf = (record: JsonObject, key: string): ReadonlyArray<JsonObject> => {
  const value = record[key]
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The strings in a member that is an array, else none. */
export const textsOf = (record: JsonObject, key: string): ReadonlyArray<string> => {
  const value = record[key]
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
}

/** A member with a value; nothing if that is `undefined`. */
export const optional = <Key extends string, V>(key: Key, value: V | undefined): { readonly [K in Key]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: V })
