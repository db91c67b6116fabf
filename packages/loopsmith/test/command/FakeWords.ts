/**
 * A fake Claude Code that judges, writes, or does not, as the query of this module's URL says.
 *
 * - `judge&SCORES`: gives one score after another, over all of its processes
 * - `write`: adds a line to the document that it is given
 * - `confide&NAME`: judges, and suggests to use the value of a variable
 * - `hang`: works until it is interrupted
 * - `leak&NAME`: fails, and repeats the value of a variable, and credentials that no variable holds
 *
 * How it was started, and what it was asked, stands in `starts.jsonl` of its home.
 */
import { appendFileSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import type { Action } from "@zain/contract-tests/ContractScript"
import { type Agent, isObject, type Place } from "@zain/contract-tests/FakeDialect"

const [act = "", given = ""] = new URL(import.meta.url).search.slice(1).split("&")
const log = join(process.env["HOME"] ?? ".", "starts.jsonl")

const verdict = (score: number, suggestion: string): Action => {
  const rubric_scores = { completeness: score, accuracy: score, clarity: score, usability: score }
  return { _tag: "Say", text: JSON.stringify({ score, rubric_scores, suggestions: [suggestion] }) }
}

/** The score of this judge, which stands in the log already. */
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
    let settings: unknown
    const decide: Place["decide"] = (messages) => {
      const { args, cwd } = place
      const prompt = messages.at(-1) ?? ""
      const start = { act, pid: process.pid, args, settings, cwd, files: readdirSync(cwd), prompt }
      appendFileSync(log, `${JSON.stringify(start)}\n`)
      return acts[act]?.(prompt) ?? { _tag: "Fail", reason: `no such act: ${act}` }
    }
    const { inputEnded, receive } = fakeClaudeCode.agent.make({ ...place, decide })
    return {
      inputEnded,
      receive: (message) => {
        if (isObject(message["request"])) settings ??= message["request"]["settings"]
        receive(message)
      },
    }
  },
}
