/**
 * A fake Claude Code. The query of this module's URL selects what it does:
 *
 * - `judge&SCORES`: gives the scores in order, over all of its processes
 * - `write`: appends a line to the document
 * - `confide&NAME`: judges, with the value of a variable in its suggestions
 * - `hang`: runs until it is interrupted
 * - `leak&NAME`: fails with the value of a variable, and with credentials that are in no variable
 *
 * It records its start and its prompts in `starts.jsonl` of its home.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import type { Action } from "@zain/contract-tests/ContractScript"
import type { Agent, Place } from "@zain/contract-tests/FakeDialect"

const [act = "", given = ""] = new URL(import.meta.url).search.slice(1).split("&")
const log = join(process.env["HOME"] ?? ".", "starts.jsonl")

const verdict = (score: number, suggestion: string): Action => {
  const rubric_scores = { completeness: score, accuracy: score, clarity: score, usability: score }
  return { _tag: "Say", text: JSON.stringify({ score, rubric_scores, suggestions: [suggestion] }) }
}

/** The next score; the log already contains this start. */
const nextScore = (): number => {
  const before = readFileSync(log, "utf8").split('"act":"judge"').length - 2
  return Number(given.split(",")[before] ?? 0)
}

const acts: Readonly<Record<string, (prompt: string) => Action>> = {
  judge: () => {
    const score = nextScore()
    return verdict(score, `Better than ${score}.`)
  },
  write: (prompt) => {
    const document = /\n<document>\n(.*)\n<\/document>/s.exec(prompt)?.[1] ?? ""
    return { _tag: "Say", text: `<document>\n${document.trimEnd()}\nBetter.\n</document>` }
  },
  confide: () => verdict(5, `Say ${process.env[given]}.`),
  hang: () => ({ _tag: "Hang" }),
  leak: () => ({
    _tag: "Fail",
    reason: `The key ${process.env[given]} was refused. Bearer of-somebody-else-1 was too.`,
  }),
}

export const agent: Agent = {
  ...fakeClaudeCode.agent,
  module: import.meta.url,
  make: (place) => {
    const decide: Place["decide"] = (messages) => {
      const prompt = messages.at(-1) ?? ""
      appendFileSync(log, `${JSON.stringify({ act, pid: process.pid, prompt })}\n`)
      return acts[act]?.(prompt) ?? { _tag: "Fail", reason: `no such act: ${act}` }
    }
    return fakeClaudeCode.agent.make({ ...place, decide })
  },
}
