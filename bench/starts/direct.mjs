// Asks an agent one question over its own protocol, without a library. Arguments as those of zain.mjs.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

const [provider, command, variables] = process.argv.slice(2)
const env = { PATH: process.env.PATH, ...JSON.parse(variables) }
const isCodex = provider === "codex"
const streaming = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
const agent = spawn(command, isCodex ? ["app-server"] : streaming, { env, stdio: ["pipe", "pipe", "ignore"] })
const send = (message) => agent.stdin.write(`${JSON.stringify(message)}\n`)
const end = (answer) => {
  process.stdout.write(`${answer}\n`)
  agent.stdin.end()
}

let text = ""
const ofCodex = ({ id, method, params, result }) => {
  if (id === 0) {
    send({ method: "initialized" })
    send({ id: 1, method: "thread/start", params: { cwd: process.cwd() } })
  } else if (id === 1) {
    const input = [{ type: "text", text: "Say hello." }]
    send({ id: 2, method: "turn/start", params: { threadId: result.thread.id, input } })
  } else if (method === "item/completed" && params.item.type === "agentMessage") text = params.item.text
  else if (method === "turn/completed") end(text)
}
const ofClaudeCode = ({ result, type }) => type === "result" && end(result)

createInterface({ input: agent.stdout }).on("line", (line) => (isCodex ? ofCodex : ofClaudeCode)(JSON.parse(line)))
if (isCodex) send({ id: 0, method: "initialize", params: { clientInfo: { name: "bench", version: "0" } } })
else send({ type: "user", message: { role: "user", content: "Say hello." } })
