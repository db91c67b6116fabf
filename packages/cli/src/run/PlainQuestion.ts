/**
 * Asks on a terminal without cursor movement (`TERM=dumb`), line by line.
 */
import * as LineFramer from "@zain/process/LineFramer"

/** An answer, with the reason of a refusal. */
export interface Said {
  readonly choice: "no" | "yes" | "session"
  readonly why: string
}

const choices = { y: "yes", yes: "yes", s: "session", session: "session" } as const

/** The longest answer, in bytes. A longer one counts as empty. */
const longest = 64 * 1024

/** @param signal aborts when the question is withdrawn */
export const ask = async (input: NodeJS.ReadStream, signal: AbortSignal): Promise<Said | undefined> => {
  const lines: Array<string> = []
  let isOver = false
  let wake = () => {}
  const hear = LineFramer.make(longest, {
    line: (text) => {
      lines.push(text)
      wake()
    },
    oversize: () => {
      lines.push("")
      wake()
    },
  })
  const read = (piece: Buffer | string) => hear(Buffer.from(piece))
  const leave = () => {
    isOver = true
    wake()
  }
  /** Reads a line; `undefined` if it was aborted, or the input ended. */
  const line = async (question: string): Promise<string | undefined> => {
    process.stderr.write(question)
    if (lines.length === 0 && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return isOver ? undefined : lines.shift()
  }
  input.on("data", read).once("end", leave).once("close", leave).resume()
  signal.addEventListener("abort", leave)
  try {
    const answer = await line("Allow it? y: yes, once; s: yes, and the same again; anything else: no > ")
    if (answer === undefined) return undefined
    const choice = (choices as Readonly<Record<string, Said["choice"]>>)[answer.trim().toLowerCase()] ?? "no"
    if (choice !== "no") return { choice, why: "" }
    const why = await line("Why not, and what instead? Enter for no word. > ")
    return why === undefined ? undefined : { choice, why }
  } finally {
    input.off("data", read).off("end", leave).off("close", leave).pause()
    signal.removeEventListener("abort", leave)
  }
}
