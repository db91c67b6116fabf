/**
 * Answers to the questions of agents.
 *
 * @see docs/guides/questions.md
 */
import type { Answer, McpApprovalDecision, McpApprovalRequest } from "./ApprovalRequest.ts"

/** What the agent's model reads of a question without an answer. */
export const advice = "Choose what is most likely meant, and say which choice you made."

/** The reason of a decline of questions that no policy answers. The agent's model reads it, where the agent accepts one. */
export const dismissed = `Questions cannot be answered here. ${advice}`

/** The longest answers of a request together, in characters. */
const maxAnswersLength = 65_536

/** Reads answers by the ids of their questions, each a text or a list of texts; `undefined` if they are malformed. */
export const read = (answers: unknown): Answer | undefined => {
  if (typeof answers !== "object" || answers === null || Array.isArray(answers)) return undefined
  const entries = Object.entries(answers).map(
    ([id, given]) => [id, typeof given === "string" ? [given] : given] as const,
  )
  const isSound = entries.every(([, given]) => Array.isArray(given) && given.every((one) => typeof one === "string"))
  return isSound ? { _tag: "Answer", answers: Object.fromEntries(entries) } : undefined
}

/**
 * The decision, if it is one about a request of this kind: questions are answered or declined, and anything else is
 * approved or declined.
 */
export const fitting = (
  { kind, questions = [] }: McpApprovalRequest,
  decision: McpApprovalDecision,
): McpApprovalDecision | undefined => {
  if (decision._tag === "Decline") return decision
  if (decision._tag !== "Answer") return kind === "question" ? undefined : decision
  const answers = read(decision.answers)?.answers
  if (kind !== "question" || answers === undefined) return undefined
  const entries = Object.entries(answers).map(([id, given]) => [id, given.map((one) => one.toWellFormed())] as const)
  const length = entries.reduce((sum, [, given]) => given.reduce((all, one) => all + one.length, sum), 0)
  const isKnown = entries.every(([id]) => questions.some((question) => question.id === id))
  return isKnown && length <= maxAnswersLength ? { _tag: "Answer", answers: Object.fromEntries(entries) } : undefined
}

/** The decision as events and logs have it: without the answers to secret questions. */
export const shown = ({ questions = [] }: McpApprovalRequest, decision: McpApprovalDecision): McpApprovalDecision => {
  if (decision._tag !== "Answer") return decision
  const isSecret = (id: string) => questions.some((question) => question.id === id && question.isSecret === true)
  return {
    _tag: "Answer",
    answers: Object.fromEntries(Object.entries(decision.answers).filter(([id]) => !isSecret(id))),
  }
}
