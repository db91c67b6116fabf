/**
 * How much memory an event takes, for the budgets of waiting events.
 */
import { clip } from "./McpError.ts"
import type { McpEventContent } from "./McpEvents.ts"

/** The overhead of an event, an object and a value in an object, in bytes. */
const [ownOfEvent, ownOfObject, ownOfValue] = [128, 48, 16]

/** V8 keeps a character in one byte or two, and does not report which: count the larger. */
const perCharacter = 2

/**
 * Estimates the memory of an event.
 *
 * @param content the event, as an adapter emits it; of an event with `text`, only the text is counted
 * @param limit the size in bytes at which counting stops; a larger event gives any number above it
 * @returns the size in bytes; at least the real one, unless that exceeds `limit`
 */
export const of = (content: McpEventContent, limit: number): number => {
  if ("text" in content && typeof content.text === "string") return ownOfEvent + perCharacter * content.text.length
  let bytes = ownOfEvent
  // Iterates, as a value that is nested a hundred thousand levels deep would overflow the stack.
  const left: Array<object> = []
  const count = (value: unknown) => {
    bytes += ownOfValue
    if (typeof value === "string") bytes += perCharacter * value.length
    else if (typeof value === "object" && value !== null) left.push(value)
  }
  for (let next: object | undefined = content; next !== undefined && bytes <= limit; next = left.pop()) {
    bytes += ownOfObject
    if (Array.isArray(next)) for (const element of next) count(element)
    else
      for (const key in next) {
        bytes += perCharacter * key.length
        count(next[key as keyof typeof next])
      }
  }
  return bytes
}

/** How much of a text `brief` keeps, in bytes. */
const maxBriefBytes = 256

/**
 * Shortens an `ApprovalAsked` event to `kind` and the first 256 bytes of `message`, `command` and `tool`, for a reader
 * with more than 256 KiB unread while `maxEventBytes` or `maxTotalEventBytes` is used up. Other events are returned
 * unchanged.
 *
 * @param content an event of any kind; it is not changed
 */
export const brief = (content: McpEventContent): McpEventContent => {
  if (content._tag !== "ApprovalAsked") return content
  const { command, kind, message, tool } = content.request
  const request = {
    kind,
    message: clip(message, maxBriefBytes),
    ...(command === undefined ? {} : { command: clip(command, maxBriefBytes) }),
    ...(tool === undefined ? {} : { tool: clip(tool, maxBriefBytes) }),
  }
  return { ...content, request }
}
