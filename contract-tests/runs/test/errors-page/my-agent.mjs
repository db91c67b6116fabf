/**
 * An agent that goes wrong as its argument and its prompts say: the argument names its start, and the first word of a prompt
 * what to do.
 */
import { createInterface } from "node:readline"

const [what = "well"] = process.argv.slice(2)

const starts = {
  leave: () => process.stderr.write("usage: my-agent [prompt]\n"),
  fail: () => {
    process.stderr.write("error: no configuration in /home/ada/.my-agent\n")
    process.exitCode = 3
    process.stdin.destroy()
  },
  silent: () => process.stdin.resume(),
  well: () => listen(initialized),
  malformed: () => listen({ protocolVersion: 7 }),
  version: () => listen({ ...initialized, protocolVersion: "1999-01-01" }),
  refuse: () => listen(undefined),
  framed: () => {
    process.stdin.resume()
    process.stdout.write("Content-Length: 2\r\n\r\n{}")
  },
}

const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "my-agent", version: "1" },
}

const prompts = {
  exit: () => {
    process.stderr.write("fatal: out of memory\n")
    process.exitCode = 1
    process.stdin.destroy()
  },
  kill: () => process.kill(process.pid, "SIGKILL"),
  close: () => {
    process.stderr.write("panic: broken pipe\n")
    setInterval(() => {}, 60_000)
    process.stdout.end()
    process.stdout.destroy()
  },
  deaf: (id) => {
    answer(id, "Nothing is read from now on.")
    setInterval(() => {}, 60_000)
    process.stdin.pause()
  },
  well: (id) => answer(id, "Hello."),
  large: (id) => say({ id, result: { content: [{ type: "text", text: "x".repeat(2_000_000) }] } }),
  deep: (id) => say({ id, result: { content: [], deep: "DEEP" } }, "[".repeat(600_000) + "]".repeat(600_000)),
  wide: (id) => say({ id, result: { content: [], wide: Array.from({ length: 600_000 }, () => 0) } }),
  none: (id) => say({ id, result: { content: "a text" } }),
  fails: (id) => say({ id, error: { code: -32603, message: "the database is locked" } }),
  lost: (id) =>
    say({ id, error: { code: -32603, message: "codex was ended by SIGKILL", data: { "zain/delivery": "not-sent" } } }),
  refuses: (id) => say({ id, error: { code: -32602, message: "Unknown tool: ask" } }),
  hang: () => {},
}

const answer = (id, content) =>
  say({ id, result: { content: [{ type: "text", text: content }], structuredContent: { threadId: "one", content } } })

/** `deep`: stands where the message says "DEEP". */
const say = (message, deep = "") =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message }).replace('"DEEP"', deep)}\n`)

const listen = (result) =>
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method === "initialize" && result === undefined) say({ id, error: { code: -32603, message: "no licence" } })
    else if (method === "initialize") say({ id, result })
    else if (method === "tools/call") prompts[params.arguments.prompt.split(" ", 1)[0]](id)
  })

starts[what]()
