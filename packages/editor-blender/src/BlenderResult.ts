/**
 * Converts an answer of the bridge to JSON, with its pictures as images.
 */

import type { Content, OperationResult } from "@zain/editor-link/domain/OperationResult"
import { isRecord } from "@zain/process/JsonRpc"

export interface Picture {
  readonly mediaType: string
  readonly base64: string
}

export const isPicture = (value: unknown): value is Picture =>
  isRecord(value) && typeof value["base64"] === "string" && typeof value["mediaType"] === "string"

/** A value without the bytes of its pictures, which are collected: those in it, and in the members of its members. */
const parted = (value: unknown, images: Array<Content>, depth = 2): unknown => {
  if (isPicture(value)) {
    const { base64, ...rest } = value
    images.push({ type: "image", data: base64, mimeType: value.mediaType })
    return rest
  }
  if (!isRecord(value) || depth === 0) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, parted(one, images, depth - 1)]))
}

/** The longest text that is written with two spaces, in code units before they are added: in a longer one they are most of it. */
const maxSpacedLength = 16_384

/** A value as JSON. */
export const json = (value: unknown): string => {
  const compact = JSON.stringify(value) ?? "null"
  return compact.length > maxSpacedLength ? compact : (JSON.stringify(value, undefined, 2) ?? "null")
}

export const make = (answer: unknown): OperationResult => {
  const images: Array<Content> = []
  const rest = parted(answer, images)
  return {
    content: [{ type: "text", text: json(rest) }, ...images],
    ...(isRecord(rest) ? { structuredContent: rest } : {}),
  }
}
