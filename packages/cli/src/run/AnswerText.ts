/**
 * The text of an answer that is not shown yet. Agents send it in pieces, as whole messages, and again as the result;
 * some send the result alone.
 */
import type { McpEvent } from "@zain/core/McpEvents"

export interface AnswerText {
  /** Returns the text that an event adds, or an empty text. */
  readonly event: (event: McpEvent) => string
  /** Returns the text that the content of the response adds. */
  readonly end: (content: string) => string
}

/** `pieces`: streamed, with text that the agent later restarts. `messages`: complete messages alone. */
export type Form = "pieces" | "messages"

/** Agents change the white space around messages. */
const squash = (text: string): string => text.replace(/\s+/g, "")

const ended = (text: string) => (text === "" || text.endsWith("\n") ? "" : "\n")

/** The rest of a message after its shown part; the whole message if the agent restarted it. */
const rest = (shown: string, text: string): string => {
  if (text.startsWith(shown)) return `${text.slice(shown.length)}${ended(text)}`
  const [begun, whole] = [shown.trimStart(), text.trimStart()]
  if (whole.startsWith(begun)) return `${whole.slice(begun.length)}${ended(text)}`
  return begun.trimEnd() === whole.trimEnd() ? ended(shown) : `${ended(shown)}${text}${ended(text)}`
}

/** An answer of which nothing is shown yet. Each shown message ends with a line feed. */
export const make = (form: Form): AnswerText => {
  /** The shown part of the current message. */
  let current = ""
  /** The last complete message, and all of them joined. */
  let last: string | undefined
  let all = ""

  /** An empty line separates messages. */
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
      const result = squash(content)
      const isShown = result === "" || [last, all, current, all + current].some((text) => squash(text ?? "") === result)
      if (!isShown)
        return content.startsWith(current) ? whole(content) : `${ended(current)}\n${content}${ended(content)}`
      const added = ended(current)
      current = ""
      return added
    },
  }
}
