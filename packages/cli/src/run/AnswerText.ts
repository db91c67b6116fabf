/**
 * What of an answer is still to be shown: agents tell it in pieces, as whole messages, and once more at the end, and some
 * tell it only at the end.
 */
import type { McpEvent } from "@zain/core/McpEvents"

export interface AnswerText {
  /** The text that an event adds, or nothing. */
  readonly event: (event: McpEvent) => string
  /** The text that the content of the response adds. */
  readonly end: (content: string) => string
}

/** `pieces`: as it comes, with what an agent has said in vain. `messages`: only what it has said to the end. */
export type Form = "pieces" | "messages"

/** Agents do not keep the white space around their messages. */
const squash = (text: string): string => text.replace(/\s+/g, "")

const ended = (text: string) => (text === "" || text.endsWith("\n") ? "" : "\n")

/** What a whole message adds to what was shown of it. Who lost its stream may begin anew, and then all of it does. */
const rest = (shown: string, text: string): string => {
  if (text.startsWith(shown)) return `${text.slice(shown.length)}${ended(text)}`
  const [begun, whole] = [shown.trimStart(), text.trimStart()]
  if (whole.startsWith(begun)) return `${whole.slice(begun.length)}${ended(text)}`
  return begun.trimEnd() === whole.trimEnd() ? ended(shown) : `${ended(shown)}${text}${ended(text)}`
}

/** An answer of which nothing has been shown. What is shown ends with a line's end after each message. */
export const make = (form: Form): AnswerText => {
  /** What was shown of the message under way. */
  let current = ""
  /** The last whole message, and all of them together. */
  let last: string | undefined
  let all = ""

  /** Between two messages there is an empty line. */
  const begun = () => (current === "" && last !== undefined ? "\n" : "")
  const whole = (text: string): string => {
    const added = `${begun()}${rest(current, text)}`
    last = text
    all += text
    current = ""
    return added
  }

  return {
    event: (event) => {
      if (event._tag === "TextDelta" && form === "pieces" && event.text !== "") {
        const added = `${begun()}${event.text}`
        current += event.text
        return added
      }
      if (event._tag === "Message" && event.text + current !== "") return whole(event.text)
      return ""
    },
    end: (content) => {
      const told = squash(content)
      const isShown = told === "" || [last, all, current, all + current].some((text) => squash(text ?? "") === told)
      if (!isShown)
        return content.startsWith(current) ? whole(content) : `${ended(current)}\n${content}${ended(content)}`
      const added = ended(current)
      current = ""
      return added
    },
  }
}
