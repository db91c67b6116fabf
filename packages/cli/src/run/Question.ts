/**
 * Asks on the terminal whether the agent may do something.
 */
import { isCancel, select, text } from "@clack/prompts"
import * as McpApproval from "@zain/core/McpApproval"
import { visible } from "../ExactText.ts"

/** What somebody said: a decision, or that the turn is to end. */
export type Answer = McpApproval.McpApprovalDecision | "interrupt"

/** The first one is what Enter means: a key that was pressed too early allows nothing. */
const choices = [
  { value: "no", label: "No", hint: "and say why" },
  { value: "yes", label: "Yes, once" },
  { value: "session", label: "Yes, and the same again without asking" },
]

/** @param signal aborts when nobody waits for the answer any more */
export const ask = async (signal: AbortSignal): Promise<Answer> => {
  if ((await typedBefore(process.stdin)).includes(ctrlC)) return "interrupt"
  const terminal = { input: process.stdin, output: process.stderr, signal, withGuide: false }
  const choice = await select({ ...terminal, message: "Allow it?", options: choices, showInstructions: false })
  if (isCancel(choice)) return "interrupt"
  if (choice === "yes") return McpApproval.approve
  if (choice === "session") return McpApproval.approveForSession
  const why = await text({ ...terminal, message: "Why not, and what instead? Enter for no word." })
  if (isCancel(why)) return "interrupt"
  const reason = visible(why ?? "").trim()
  return McpApproval.decline(reason === "" ? "The user declined." : reason)
}

const ctrlC = "\u0003"

/** How long the terminal may take to hand over what it holds, in milliseconds. */
const handover = 50

/** What was typed before there was a question is no answer to it: it is taken away. */
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
