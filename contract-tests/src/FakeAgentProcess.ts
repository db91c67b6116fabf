/**
 * The program: a fake agent on standard input and output that speaks its own protocol. `FakeAgent.install` writes the
 * command that starts it.
 *
 * It imports nothing of the workspace at run time, so that plain Node runs it, from source and as built.
 */
import { appendFileSync } from "node:fs"
import * as FakeAppServer from "./FakeAppServer.ts"
import * as FakeClaudeStream from "./FakeClaudeStream.ts"
import * as FakeConversations from "./FakeConversations.ts"
import { birthOf, type LogEntry } from "./FakePeerLog.ts"
import { isObject } from "./FakeServer.ts"

const [settings = "{}", ...args] = process.argv.slice(2)
const { agent, conversations, log, takesAlong } = JSON.parse(settings) as {
  readonly agent: "codex" | "claude-code"
  readonly conversations: string
  readonly log: string
  readonly takesAlong: boolean
}
const isCodex = agent === "codex"

const note = (entry: LogEntry) => appendFileSync(log, `${JSON.stringify(entry)}\n`)

const leave = (status: number, lastWords?: string) => {
  if (lastWords !== undefined) process.stderr.write(`${lastWords}\n`)
  // Not before what was said is written.
  process.stdout.write("", () => process.exit(status))
}

const serve = () => {
  note({ what: "started", pid: process.pid, born: birthOf("self") })
  process.on("SIGTERM", () => process.exit(isCodex ? 0 : 143))
  // Whoever started it is gone.
  process.stdout.on("error", () => process.exit(1))
  const { inputEnded, receive } = (isCodex ? FakeAppServer : FakeClaudeStream).make({
    args,
    cwd: process.cwd(),
    conversations: FakeConversations.make(conversations),
    send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    saw: note,
    leave,
    crash: () => {
      if (takesAlong) process.kill(process.ppid, "SIGKILL")
      process.stderr.write("fatal: told to exit\n")
      process.exit(42)
    },
  })
  let rest = ""
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const message = parse(line)
      if (isObject(message)) receive(message)
    }
  })
  process.stdin.on("end", inputEnded)
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

if (args.includes("--version")) {
  process.stdout.write(isCodex ? `codex-cli ${FakeAppServer.version}\n` : `${FakeClaudeStream.version} (Claude Code)\n`)
} else if (isCodex && !args.includes("app-server")) leave(2, "error: this fake is an app-server only")
else serve()
