/**
 * A `claude -p` that judges, writes, or does not, by its first argument. Node runs it as it is.
 *
 * - `judge SCORES`: gives one score after another, over all of its processes
 * - `write`: adds a line to the document that it is given
 * - `confide NAME`: judges, and suggests to use the value of a variable
 * - `hang`: works until it is interrupted
 * - `leak NAME`: fails, and repeats the value of a variable, and credentials that nobody here knows
 *
 * How it was started, and what it was asked, is kept in `starts.jsonl` of its home.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

const [act = "", given = "", ...args] = process.argv.slice(2)
const home = process.env["HOME"] ?? "."
const log = join(home, "starts.jsonl")
const session = args.find((arg) => arg.startsWith("--session-id="))?.slice("--session-id=".length) ?? "none"

const write = (message: object) => process.stdout.write(`${JSON.stringify({ ...message, session_id: session })}\n`)
const result = (fields: object) => write({ type: "result", subtype: "success", is_error: false, ...fields })
const say = (text: string, fields: object = {}) => {
  write({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }] },
    parent_tool_use_id: null,
  })
  result({ result: text, usage: { input_tokens: 1, output_tokens: 1 }, ...fields })
}

const verdict = (score: number, suggestion: string) => {
  const rubric_scores = { completeness: score, accuracy: score, clarity: score, usability: score }
  say(JSON.stringify({ score, rubric_scores, suggestions: [suggestion] }))
}

const judge = () => {
  const scores = given.split(",").map(Number)
  const before = existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.includes('"act":"judge"')).length
    : 0
  const score = scores[before - 1] ?? 0
  verdict(score, `Better than ${score}.`)
}

const acts: Readonly<Record<string, (prompt: string) => void>> = {
  judge,
  write: (prompt) => {
    const document = /\n<document>\n(.*)\n<\/document>/s.exec(prompt)?.[1] ?? ""
    say(`<document>\n${document.trimEnd()}\nBetter.\n</document>`)
  },
  confide: () => verdict(5, `Say ${process.env[given]}.`),
  hang: () => {},
  leak: () => say(`The key ${process.env[given]} was refused. Bearer of-somebody-else-1 was too.`, { is_error: true }),
}

let settings: unknown
/** What a control request is answered with; `undefined` for an interrupt. */
const configure = (request: { readonly subtype: string; readonly settings?: unknown }): object | undefined => {
  if (request.subtype === "get_settings") {
    return { effective: settings, sources: [{ source: "flagSettings", settings }] }
  }
  if (request.subtype !== "initialize") return undefined
  settings = request.settings
  return { commands: [], agents: [], settings_applied: true }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line)
    if (message.type === "control_request") {
      const configured = configure(message.request)
      const answer = configured ?? { still_queued: [] }
      const response = { subtype: "success", request_id: message.request_id, response: answer }
      write({ type: "control_response", response })
      if (configured !== undefined) return
      result({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming", errors: [] })
    }
    if (message.type !== "user") return
    const prompt: string = message.message.content
    const files = readdirSync(process.cwd())
    appendFileSync(
      log,
      `${JSON.stringify({ act, pid: process.pid, args, settings, cwd: process.cwd(), files, prompt })}\n`,
    )
    write({ type: "command_lifecycle", command_uuid: message.uuid, state: "started" })
    write({ type: "system", subtype: "init", cwd: process.cwd() })
    acts[act]?.(prompt)
  })
  .on("close", () => process.exit(0))
