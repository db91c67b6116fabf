/**
 * How much memory an event takes.
 */
import { clip } from "./McpError.ts"
import type { McpEventContent } from "./McpEvents.ts"

/** What an event, an object and a value in one take beside their texts, in bytes. */
const [ownOfEvent, ownOfObject, ownOfValue] = [128, 48, 16]

/** Engines keep a character in one byte or in two, and do not say which. */
const perCharacter = 2

/**
 * @param limit where counting ends: an event that takes more takes too much
 * @returns bytes, rather too many than too few
 */
export const of = (content: McpEventContent, limit: number): number => {
  if ("text" in content && typeof content.text === "string") return ownOfEvent + perCharacter * content.text.length
  let bytes = ownOfEvent
  // What a server nests a hundred thousand levels deep leaves no stack to recurse.
  const left: Array<unknown> = [content]
  while (left.length > 0 && bytes <= limit) {
    const value = left.pop()
    bytes += ownOfValue
    if (typeof value === "string") bytes += perCharacter * value.length
    if (typeof value !== "object" || value === null) continue
    bytes += ownOfObject
    if (Array.isArray(value)) for (const element of value) left.push(element)
    else {
      for (const key of Object.keys(value)) {
        bytes += perCharacter * key.length
        left.push((value as Readonly<Record<string, unknown>>)[key])
      }
    }
  }
  return bytes
}

/** The most of a text that is kept where there is no room, in bytes. */
const shortest = 256

/** A question with what matters most of it, for a reader that has no room for the whole. */
export const brief = (content: McpEventContent): McpEventContent => {
  if (content._tag !== "ApprovalAsked") return content
  const { command, kind, message, tool } = content.request
  const request = {
    kind,
    message: clip(message, shortest),
    ...(command === undefined ? {} : { command: clip(command, shortest) }),
    ...(tool === undefined ? {} : { tool: clip(tool, shortest) }),
  }
  return { ...content, request }
}
