/**
 * Asks on the terminal whether the agent may do something, or what the agent asks.
 */
import { isCancel, multiselect, password, select, text } from "@clack/prompts"
import * as McpApproval from "@zain/core/McpApproval"
import { visible, visibleLine } from "@zain/core/TerminalText"
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

/** @param questions what the agent asks; none for an approval */
export const ask = async (asking: Asking, questions: ReadonlyArray<McpApproval.McpQuestion> = []): Promise<Answer> => {
  if ((await typedBefore(asking.keyboard)).includes(ctrlC)) return "interrupt"
  return await (questions.length > 0 ? answered(asking, questions) : decided(asking))
}

const decided = async (asking: Asking): Promise<Answer> => {
  const { canDraw, keyboard, signal } = asking
  const said = await (canDraw ? drawn(asking) : PlainQuestion.ask(keyboard, signal))
  if (said === undefined) return "interrupt"
  if (said.choice === "yes") return McpApproval.approve
  if (said.choice === "session") return McpApproval.approveForSession
  const reason = visible(said.why).trim()
  return McpApproval.decline(reason === "" ? "The user declined." : reason)
}

/** Asks all questions; those without an answer are left out. */
const answered = async (asking: Asking, questions: ReadonlyArray<McpApproval.McpQuestion>): Promise<Answer> => {
  const answers: Array<readonly [id: string, answer: ReadonlyArray<string>]> = []
  for (const question of questions) {
    const { canDraw, keyboard, signal } = asking
    const given = await (canDraw ? drawnAnswer(asking, question) : PlainQuestion.answer(keyboard, signal, question))
    if (given === undefined) return "interrupt"
    if (given.length > 0) answers.push([question.id, given])
  }
  return answers.length === 0
    ? McpApproval.decline(McpApproval.dismissed)
    : { _tag: "Answer", answers: Object.fromEntries(answers) }
}

const terminalOf = ({ keyboard, signal }: Asking) =>
  ({ input: keyboard, output: process.stderr, signal, withGuide: false }) as const

const drawn = async (asking: Asking): Promise<PlainQuestion.Said | undefined> => {
  const terminal = terminalOf(asking)
  const options = [...choices]
  const choice = await select({ ...terminal, message: "Allow it?", options, showInstructions: false })
  if (isCancel(choice)) return undefined
  if (choice !== "no") return { choice, why: "" }
  const why = await text({ ...terminal, message: "Why not, and what instead? Enter for no word." })
  return isCancel(why) ? undefined : { choice, why: why ?? "" }
}

/** The values of the choices beside the options. */
const [none, own] = [-1, -2]

/** `undefined`: an interruption. Empty: no answer. */
const drawnAnswer = async (
  asking: Asking,
  { header, isClosed, isMultiple, isSecret, options, text: words }: McpApproval.McpQuestion,
): Promise<ReadonlyArray<string> | undefined> => {
  const terminal = terminalOf(asking)
  const message = visibleLine(header ?? words)
  const inOwnWords = async () => {
    const write = isSecret === true ? password : text
    const said = await write({ ...terminal, message: `${message}: your answer. Enter for none.` })
    if (isCancel(said)) return undefined
    return said === undefined || said === "" ? [] : [said]
  }
  if (options.length === 0) return await inOwnWords()
  const listed = options.map(({ description, label }, value) => ({
    value,
    label: visibleLine(label),
    ...(description === undefined ? {} : { hint: visibleLine(description) }),
  }))
  const others = isClosed === true ? [] : [{ value: own, label: "Something else" }]
  const chosen =
    isMultiple === true
      ? await multiselect({ ...terminal, message, options: [...listed, ...others], required: false })
      : await select({
          ...terminal,
          message,
          options: [{ value: none, label: "No answer" }, ...listed, ...others],
          showInstructions: false,
        })
  if (isCancel(chosen)) return undefined
  const values = [chosen].flat()
  const labels = values.flatMap((value) => options[value]?.label ?? [])
  if (!values.includes(own)) return labels
  const also = await inOwnWords()
  return also && [...labels, ...also]
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
