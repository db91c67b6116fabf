/**
 * Asks on the terminal whether the agent may do something.
 */
import { isCancel, select, text } from "@clack/prompts"
import * as McpApproval from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import * as PlainQuestion from "./PlainQuestion.ts"

/** A person's answer: a decision, or an interruption of the turn. */
export type Answer = McpApproval.McpApprovalDecision | "interrupt"

export interface Asking {
  /** The keyboard. */
  readonly keyboard: NodeJS.ReadStream
  /** Whether the terminal supports cursor movement. */
  readonly canDraw: boolean
  /** Aborts when the question is withdrawn. */
  readonly signal: AbortSignal
}

/** Enter selects the first choice, so that an early key press approves nothing. */
const choices = [
  { value: "no", label: "No", hint: "and say why" },
  { value: "yes", label: "Yes, once" },
  { value: "session", label: "Yes, and the same again without asking" },
] as const

export const ask = async (asking: Asking): Promise<Answer> => {
  const { canDraw, keyboard, signal } = asking
  if ((await typedBefore(keyboard)).includes(ctrlC)) return "interrupt"
  const said = await (canDraw ? drawn(asking) : PlainQuestion.ask(keyboard, signal))
  if (said === undefined) return "interrupt"
  if (said.choice === "yes") return McpApproval.approve
  if (said.choice === "session") return McpApproval.approveForSession
  const reason = visible(said.why).trim()
  return McpApproval.decline(reason === "" ? "The user declined." : reason)
}

const drawn = async ({ keyboard, signal }: Asking): Promise<PlainQuestion.Said | undefined> => {
  const terminal = { input: keyboard, output: process.stderr, signal, withGuide: false }
  const options = [...choices]
  const choice = await select({ ...terminal, message: "Allow it?", options, showInstructions: false })
  if (isCancel(choice)) return undefined
  if (choice !== "no") return { choice, why: "" }
  const why = await text({ ...terminal, message: "Why not, and what instead? Enter for no word." })
  return isCancel(why) ? undefined : { choice, why: why ?? "" }
}

const ctrlC = "\u0003"

/** How long the terminal may take to deliver buffered input, in ms. */
const handover = 50

/** Discards input that was typed before the question. */
const typedBefore = (input: NodeJS.ReadStream): Promise<string> =>
  new Promise((resolve) => {
    let typed = ""
    const hear = (piece: Buffer | string) => {
      typed += String(piece)
    }
    input.setRawMode(true)
    input.on("data", hear).resume()
    setTimeout(() => {
      input.off("data", hear).pause()
      input.setRawMode(false)
      resolve(typed)
    }, handover)
  })
