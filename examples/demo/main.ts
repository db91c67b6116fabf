/**
 * Both real agents on scripted models: each remembers a word, streams text, and asks before it writes a file.
 *
 *   pnpm demo
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, styleText } from "node:util"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { type McpApproval, type McpConnectionConfig, McpError, McpPromiseClient, McpResult } from "@zain/core"
import { visible, visibleLine } from "@zain/core/TerminalText"
import { ScriptedModel } from "@zain/scripted-model"
import { respond } from "./Model.ts"

const usage = `Each agent remembers a word over two turns, streams text, and asks before it writes a file; a rule approves that.

  pnpm demo                both agents, as pinned by this repository, on scripted models
  pnpm demo --json         one JSON object a line: each step and each event
  ZAIN_LIVE=1 pnpm demo    your own codex and claude from PATH, with your own logins

Exit code: 0 if both agents remembered, asked and wrote; 1 otherwise; 130 if interrupted.
`
const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" }, json: { type: "boolean" } } })
const { stderr, stdout } = process
const interrupt = new AbortController()
const { signal } = interrupt

let isInLine = false
/** Prints text, or with `--json` an object. */
const print = (text: string, object?: object) => {
  if (values.json === true) return object === undefined || stdout.write(`${JSON.stringify(object)}\n`)
  if (text !== "") isInLine = !text.endsWith("\n")
  return stdout.write(text)
}
const style = (format: "bold" | "dim", text: string) => styleText(format, text, { stream: stdout })
const margin = " ".repeat(12)
const line = (text: string) => print(`${isInLine ? "\n" : ""}${margin}${text}\n`)

const timed = async <A>(operation: Promise<McpResult<A>>) => {
  const start = performance.now()
  const value = McpResult.getOrThrow(await operation)
  const ms = Math.round(performance.now() - start)
  return { value, ms, time: style("dim", `  ${ms} ms`) }
}

/** Drives one agent from `openSession` to `closeSession`. Returns whether it remembered, and whether it asked and wrote. */
const drive = async (client: McpPromiseClient, config: McpConnectionConfig, word: string, directory: string) => {
  const { provider } = client
  const file = join(directory, `${provider}-word.txt`)
  const name = style("bold", provider.padEnd(12))
  let isAsked = false
  const progress = (what: string) => stderr.write(`${provider}: ${what} …\n`)

  progress("opening a session")
  const { value: sessionId, ...opened } = await timed(client.openSession(config, { signal }))
  print(`${name}session ${sessionId} is open${opened.time}\n`, { step: "open", provider, sessionId, ms: opened.ms })

  /** Shows the events of a turn, and returns its answer. */
  const take = async (prompt: string) => {
    for await (const piece of client.stream(sessionId, prompt, { signal })) {
      if (piece._tag === "Response") return McpResult.succeed(piece.response)
      if (piece._tag !== "Raw") print("", { step: "event", provider, event: piece })
      if (piece._tag === "TextDelta") print(`${isInLine ? "" : `${margin}< `}${visible(piece.text)}`)
      if (piece._tag === "ToolStarted") line(style("dim", `… ${visibleLine(piece.title)}`))
      if (piece._tag === "ApprovalAsked") line(`? ${visibleLine(piece.request.message)}`)
      if (piece._tag === "ApprovalDecided")
        line(`! ${piece.decision._tag === "Decline" ? "Declined" : "Approved by a rule"}`)
      isAsked ||= piece._tag === "ApprovalAsked"
    }
    throw new Error("The turn has no answer.")
  }
  const ask = async (prompt: string) => {
    print(`${name}> ${prompt}\n`)
    progress("working")
    const { ms, time, value } = await timed(take(prompt))
    if (value.isError) line(`! ${visible(value.content)}`)
    print(`${time}\n`, { step: "execute", prompt, ms, ...value })
    return value.content
  }
  await ask(`Remember this word: ${word}. Answer in one short sentence.`)
  const remembered = (await ask("Which word did I ask you to remember? Answer in one short sentence.")).includes(word)
  await ask(`Write it to the file ${file}. Answer in one short sentence.`)

  progress("closing")
  const { ms, time } = await timed(client.closeSession(sessionId))
  print(`${name}session is closed${time}\n`, { step: "close", provider, sessionId, ms })
  return { remembered, asked: isAsked && existsSync(file) && readFileSync(file, "utf8").trim() === word }
}

const demo = async () => {
  await using model = process.env["ZAIN_LIVE"] === "1" ? undefined : await ScriptedModel.start({ respond })
  if (model)
    print("No key is needed: both agents are real, their models are scripts. ZAIN_LIVE=1 uses your own agents.\n")
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "zain-demo-")))
  process.once("exit", () => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }))
  const approvals: McpApproval.Options = {
    rules: [{ kind: "file-change", within: cwd, answer: "approve" }],
    log: (entry) => print("", { step: "approval", ...entry }),
  }
  await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make(), { approvals })
  await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make(), { approvals })
  const programs = model && {
    codex: { command: join(import.meta.dirname, "../node_modules/.bin/codex"), env: (await model.codex()).env },
    claude: { command: join(import.meta.dirname, "../node_modules/.bin/claude"), env: (await model.claudeCode()).env },
  }
  const careful = { cwd, sandbox: "read-only", approvalPolicy: "on-request" } as const
  const runs = [
    await drive(codex, CodexTransportFactory.local({ ...programs?.codex, options: careful }), "tangerine", cwd),
    await drive(claude, ClaudeCodeTransportFactory.local({ ...programs?.claude, options: { cwd } }), "harbour", cwd),
  ]
  const [remembered, asked] = [runs.every((run) => run.remembered), runs.every((run) => run.asked)]
  print(remembered ? "Both agents remembered. " : "An agent did not remember. ")
  const text = asked ? "Both asked before they wrote." : "An agent did not ask, or did not write."
  print(`${text}\n`, { step: "summary", ok: remembered && asked, remembered, asked })
  return remembered && asked ? 0 : 1
}

for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interrupt.abort())
try {
  if (values.help === true) stdout.write(usage)
  else process.exitCode = await demo()
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  const text = McpError.isMcpError(error) ? `${error._tag} (${error.reason}): ${error.message}` : String(error)
  if (!signal.aborted) stderr.write(`${text}\n`)
}
