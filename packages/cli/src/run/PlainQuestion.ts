/**
 * Asks on a terminal without cursor movement (`TERM=dumb`), line by line.
 */
import { createInterface, type Interface } from "node:readline"

/** An answer, with the reason of a refusal. */
export interface Said {
  readonly choice: "no" | "yes" | "session"
  readonly why: string
}

const choices = { y: "yes", yes: "yes", s: "session", session: "session" } as const

/** @param signal aborts when the question is withdrawn */
export const ask = async (input: NodeJS.ReadStream, signal: AbortSignal): Promise<Said | undefined> => {
  const lines = createInterface({ input, output: process.stderr, terminal: false })
  try {
    const answer = await line(lines, "Allow it? y: yes, once; s: yes, and the same again; anything else: no > ", signal)
    if (answer === undefined) return undefined
    const choice = (choices as Readonly<Record<string, Said["choice"]>>)[answer.trim().toLowerCase()] ?? "no"
    if (choice !== "no") return { choice, why: "" }
    const why = await line(lines, "Why not, and what instead? Enter for no word. > ", signal)
    return why === undefined ? undefined : { choice, why }
  } finally {
    lines.close()
  }
}

/** Reads a line; `undefined` if it was aborted, or the input ended. */
const line = (lines: Interface, question: string, signal: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve) => {
    const give = (text?: string) => {
      lines.off("close", leave)
      signal.removeEventListener("abort", leave)
      resolve(text)
    }
    const leave = () => give()
    lines.once("close", leave)
    signal.addEventListener("abort", leave)
    lines.question(question, give)
  })
