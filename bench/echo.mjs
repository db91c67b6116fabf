// The answers of the bench's neutral servers, without an SDK: any tool call is answered as Codex does.
// The prompt selects the answer: "events:N" sends N progress notifications before the result, "size:N" answers with N
// characters, and anything else is repeated.

const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "echo", version: "1" },
}
const block = "x".repeat(1024)

const answerOf = (prompt) => {
  const size = /^size:(\d+)$/.exec(prompt)?.[1]
  if (size === undefined)
    return { content: [{ type: "text", text: prompt }], structuredContent: { threadId: "thread", content: prompt } }
  return {
    content: [{ type: "text", text: block.repeat(size / block.length) }],
    structuredContent: { threadId: "thread" },
  }
}

/** Hands over every message that answers this one, as JSON: first the notifications, then the result. */
export const answer = ({ id, method, params }, say) => {
  if (id === undefined) return
  if (method !== "tools/call") {
    say(JSON.stringify({ jsonrpc: "2.0", id, result: method === "initialize" ? initialized : {} }))
    return
  }
  const prompt = params.arguments.prompt
  const events = Number(/^events:(\d+)$/.exec(prompt)?.[1] ?? 0)
  const progressToken = params._meta?.progressToken
  for (let progress = 1; progress <= events; progress++) {
    say(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } }))
  }
  say(JSON.stringify({ jsonrpc: "2.0", id, result: answerOf(prompt) }))
}
