/**
 * The program: a fake agent's MCP server on standard input and output. `FakePeer.command` says how to start it.
 *
 * It imports nothing of the workspace at run time, so that plain Node runs it, from source and as built.
 */
import { appendFileSync } from "node:fs"
import * as FakeClaudeCode from "./FakeClaudeCode.ts"
import * as FakeCodex from "./FakeCodex.ts"
import { birthOf, type LogEntry, logVariable, silentVariable } from "./FakePeerLog.ts"
import * as FakeServer from "./FakeServer.ts"

const [dialectName, ...args] = process.argv.slice(2)
const isCodex = dialectName === "codex"
const log = process.env[logVariable]

const note = (entry: LogEntry) => {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`)
}

const serve = () => {
  note({ what: "started", pid: process.pid, born: birthOf("self") })
  if (!isCodex) process.on("SIGTERM", () => process.exit(143))
  const server = FakeServer.make(isCodex ? FakeCodex.make() : FakeClaudeCode.make({ args, env: process.env }), {
    send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    saw: note,
    exit: () => {
      process.stderr.write("fatal: told to exit\n")
      process.exit(42)
    },
  })
  const isSilent = process.env[silentVariable] !== undefined
  let rest = ""
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n")
    rest = lines.pop() ?? ""
    if (!isSilent) for (const line of lines) server.receive(parse(line))
  })
  // Like the real ones: what is under way is finished first, however long it takes.
  process.stdin.on("end", () => void server.idle().then(() => process.exit(0)))
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    if (isCodex) process.stderr.write("Failed to deserialize a message\n")
    return undefined
  }
}

if (args.includes("--version")) {
  process.stdout.write(isCodex ? `codex-cli ${FakeCodex.version}\n` : `${FakeClaudeCode.version} (Claude Code)\n`)
} else {
  serve()
}
