/**
 * The parameters of a call, read leniently as Unity reads them, and the answers of JSON-RPC.
 */
import { isRecord } from "@zain/process/JsonRpc"
import type { Vector } from "./FakeScene.ts"

export type Params = Readonly<Record<string, unknown>>

export const textOf = (params: Params, name: string, otherwise = ""): string =>
  typeof params[name] === "string" ? params[name] : otherwise

export const numberOf = (params: Params, name: string, otherwise: number): number =>
  typeof params[name] === "number" ? params[name] : otherwise

export const listOf = (params: Params, name: string): ReadonlyArray<unknown> =>
  Array.isArray(params[name]) ? params[name] : []

export const partOf = (params: Params, name: string): Params => (isRecord(params[name]) ? params[name] : {})

/** Members that are absent are those of `otherwise`. */
export const vectorOf = (params: Params, name: string, otherwise: Vector): Vector => {
  const given = params[name]
  if (!isRecord(given)) return otherwise
  return {
    x: numberOf(given, "x", otherwise.x),
    y: numberOf(given, "y", otherwise.y),
    z: numberOf(given, "z", otherwise.z),
  }
}

/** Whether arrays and objects are nested deeper than so many levels. */
export const isDeeper = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1))
}

/** What becomes of a request of JSON-RPC. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown }

export const jsonRpcAnswer = (id: unknown, outcome: Outcome) => JSON.stringify({ jsonrpc: "2.0", id, ...outcome })
