/**
 * Asks on a terminal without cursor movement (`TERM=dumb`), line by line.
 */
import type { McpQuestion } from "@zain/core/McpApproval"
import { visibleLine } from "@zain/core/TerminalText"
import * as LineFramer from "@zain/process/LineFramer"

/** An answer, with the reason of a refusal. */
export interface Said {
  readonly choice: "no" | "yes" | "session"
  readonly why: string
}

const choices = { y: "yes", yes: "yes", s: "session", session: "session" } as const

/** The longest answer, in bytes. A longer one counts as empty. */
const maxAnswerBytes = 64 * 1024

/** Writes a question, and reads a line; `undefined` if it was aborted, or the input ended. */
type Line = (question: string) => Promise<string | undefined>

/** @param signal aborts when the question is withdrawn */
export const ask = (input: NodeJS.ReadStream, signal: AbortSignal): Promise<Said | undefined> =>
  reading(input, signal, async (line) => {
    const answer = await line("Allow it? y: yes, once; s: yes, and the same again; anything else: no > ")
    if (answer === undefined) return undefined
    const choice = (choices as Readonly<Record<string, Said["choice"]>>)[answer.trim().toLowerCase()] ?? "no"
    if (choice !== "no") return { choice, why: "" }
    const why = await line("Why not, and what instead? Enter for no word. > ")
    return why === undefined ? undefined : { choice, why }
  })

/**
 * Asks a question of the agent. A secret, which this terminal would show, has no answer.
 *
 * @param signal aborts when the question is withdrawn
 * @returns labels of options, or own words; empty without an answer
 */
export const answer = (
  input: NodeJS.ReadStream,
  signal: AbortSignal,
  { header, isClosed, isMultiple, isSecret, options, text }: McpQuestion,
): Promise<ReadonlyArray<string> | undefined> =>
  reading(input, signal, async (line) => {
    if (isSecret === true) return []
    const listed = options.map(({ label }, at) => `${at + 1}: ${visibleLine(label)}`)
    const ways = [
      ...(options.length > 0 ? [isMultiple === true ? "numbers with commas" : "a number"] : []),
      ...(isClosed === true && options.length > 0 ? [] : ["own words"]),
    ]
    const answer = await line(
      [visibleLine(header ?? text), ...listed, `Answer by ${ways.join(" or ")}; Enter for none > `].join("\n"),
    )
    if (answer === undefined || answer.trim() === "") return answer === undefined ? undefined : []
    const parts = isMultiple === true ? answer.split(",") : [answer]
    const labels = parts.map((part) => (/^\s*\d+\s*$/.test(part) ? options[Number(part) - 1]?.label : undefined))
    const chosen = labels.filter((label) => label !== undefined)
    if (chosen.length === parts.length) return chosen
    return isClosed === true && options.length > 0 ? [] : [answer.trim()]
  })

const reading = async <A>(
  input: NodeJS.ReadStream,
  signal: AbortSignal,
  use: (line: Line) => Promise<A>,
): Promise<A> => {
  const lines: Array<string> = []
  let isOver = false
  let wake = () => {}
  const hear = LineFramer.make(maxAnswerBytes, {
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
  const line: Line = async (question) => {
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
    return await use(line)
  } finally {
    input.off("data", read).off("end", leave).off("close", leave).pause()
    signal.removeEventListener("abort", leave)
  }
}
