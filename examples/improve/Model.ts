/**
 * The script of the example's models: the evaluator suggests missing sections, and the writer adds the first one.
 */
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"

const sections = ["Install", "Use"]
const scores = [5.5, 6.9, 8.2]

/** The document in a prompt. */
const documentOf = (prompt: string) => /^<document>\n(.*)\n<\/document>$/ms.exec(prompt)?.[1] ?? ""

const judge = (prompt: string) => {
  const document = documentOf(prompt)
  const missing = sections.filter((name) => !document.includes(`## ${name}`))
  const score = scores[sections.length - missing.length] ?? 0
  return JSON.stringify({
    score,
    rubric_scores: { completeness: score, accuracy: score, clarity: score, usability: score },
    suggestions: missing.map((name) => `Add a section "${name}".`),
  })
}

const write = (prompt: string) => {
  const name = /^1\. Add a section "(\w+)"/m.exec(prompt)?.[1] ?? "More"
  return `<document>\n${documentOf(prompt).trimEnd()}\n\n## ${name}\n\nOne line of it.\n</document>`
}

/** Plays both models: Codex uses the Responses API, Claude Code the Messages API. */
export const respond = ({ api, userMessages }: ModelRequest.ModelRequest): ScriptedTurn.ScriptedTurn => {
  const prompt = userMessages.findLast((message) => message.includes("\n<document>\n")) ?? ""
  return ScriptedTurn.text(api === "responses" ? judge(prompt) : write(prompt))
}
