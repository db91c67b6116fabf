// An MCP server without an SDK: it echoes the prompt of any tool call, as Codex would answer.
let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (piece) => {
  const lines = (rest + piece).split("\n")
  rest = lines.pop()
  let out = ""
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const text = params?.arguments?.prompt
    const result =
      method === "initialize"
        ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } }
        : method === "tools/call"
          ? { content: [{ type: "text", text }], structuredContent: { threadId: "thread", content: text } }
          : {}
    out += `${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`
  }
  if (out !== "") process.stdout.write(out)
})
process.stdin.on("end", () => process.exit(0))
