// A neutral MCP server over Streamable HTTP: JSON replies at /json, event streams at /sse. It prints its port, and ends with
// its standard input.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { answer } from "./echo.mjs"

const sessions = new Set()

const server = createServer(async (request, response) => {
  const refuse = (status) => response.writeHead(status, { "content-length": 0 }).end()
  const session = request.headers["mcp-session-id"]
  if (session !== undefined && !sessions.has(session)) return refuse(404)
  if (request.method === "DELETE") {
    sessions.delete(session)
    return refuse(200)
  }
  if (request.method !== "POST") return refuse(405)
  const message = JSON.parse(await text(request))
  if (message.id === undefined) return refuse(202)
  if (message.method === "initialize") {
    const id = randomUUID()
    sessions.add(id)
    response.setHeader("mcp-session-id", id)
  }
  const said = []
  answer(message, (each) => said.push(each))
  if (request.url === "/sse") {
    const events = said.map((each) => `event: message\ndata: ${each}\n\n`).join("")
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
    response.end(events)
  } else {
    const out = said.at(-1) ?? ""
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(out) }).end(out)
  }
})
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
process.stdin.on("end", () => process.exit(0)).resume()
