/**
 * Members of what an agent says: nothing of it is taken for granted.
 */
import { isRecord } from "@zain/process/JsonRpc"

/** What an agent says. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A member that is a text. */
export const textOf = (record: JsonObject, key: string): string | undefined => {
  const value = record[key]
  return typeof value === "string" ? value : undefined
}

/** A member that is an object; an empty one for anything else. */
export const recordOf = (record: JsonObject, key: string): JsonObject => {
  const value = record[key]
  return isRecord(value) ? value : {}
}

/** The objects in a member that is a list. */
export const recordsOf = (record: JsonObject, key: string): ReadonlyArray<JsonObject> => {
  const value = record[key]
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The texts in a member that is a list. */
export const textsOf = (record: JsonObject, key: string): ReadonlyArray<string> => {
  const value = record[key]
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
}
