/**
 * What of an answer is still to be shown: agents tell it in pieces, as whole messages, and once more at the end, and some
 * tell it only at the end.
 */
import type { McpEvent } from "@zain/core/McpEvents"

/**
 * - `event`: the text that an event adds, or nothing
 * - `end`: the text that the content of the response adds
 */
export interface AnswerText {
  readonly event: (event: McpEvent) => string
  readonly end: (content: string) => string
}

/** Agents do not keep the white space around their messages. */
const squash = (text: string): string => text.replace(/\s+/g, "")

/** An answer of which nothing has been shown. What is shown ends with a line's end after each message. */
export const make = (): AnswerText => {
  /** What was shown of the message under way. */
  let current = ""
  /** The last whole message, and all of them together. */
  let last: string | undefined
  let all = ""
  let hasGap = false

  const ended = (text: string) => (text === "" || text.endsWith("\n") ? "" : "\n")
  /** Between two messages there is an empty line. */
  const begun = () => (current === "" && last !== undefined ? "\n" : "")

  /** What a whole message adds to what was shown of it. */
  const whole = (text: string): string => {
    const shown = current
    if (hasGap && shown !== text) return `${ended(shown)}${text}${ended(text)}`
    if (text.startsWith(shown)) return `${text.slice(shown.length)}${ended(text)}`
    return ended(shown)
  }
  const close = (text: string) => {
    last = text
    all += text
    current = ""
    hasGap = false
  }

  return {
    event: (event) => {
      switch (event._tag) {
        case "TextDelta": {
          if (event.text === "") return ""
          const added = `${begun()}${event.text}`
          current += event.text
          return added
        }
        case "Message": {
          if (event.text === "" && current === "") return ""
          const added = `${begun()}${whole(event.text)}`
          close(event.text)
          return added
        }
        case "Dropped":
          hasGap = true
          return ""
        default:
          return ""
      }
    },
    end: (content) => {
      const told = squash(content)
      const isShown = told === "" || [last, all, current, all + current].some((text) => squash(text ?? "") === told)
      if (isShown && !(hasGap && current !== "")) {
        const added = ended(current)
        current = ""
        return added
      }
      const added = `${begun()}${content.startsWith(current) || hasGap ? whole(content) : `${ended(current)}\n${content}${ended(content)}`}`
      close(content)
      return added
    },
  }
}
