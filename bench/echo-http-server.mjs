// A neutral MCP server over Streamable HTTP: JSON replies at /json, event streams at /sse. At /open there are JSON replies
// and a stream of the server's own, for clients that ask for one with GET. It prints its port, and ends with its standard
// input.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { answer } from "./echo.mjs"

const sessions = new Set()

const server = createServer((request, response) => {
  const refuse = (status) => response.writeHead(status, { "content-length": 0 }).end()
  const session = request.headers["mcp-session-id"]
  if (session !== undefined && !sessions.has(session)) return refuse(404)
  if (request.method === "DELETE") {
    sessions.delete(session)
    return refuse(200)
  }
  if (request.method === "GET" && request.url === "/open") {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" }).flushHeaders()
    return
  }
  if (request.method !== "POST") return refuse(405)
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (piece) => {
    body += piece
  })
  request.on("end", () => {
    const message = JSON.parse(body)
    if (message.id === undefined) return refuse(202)
    const headers = {}
    if (message.method === "initialize") {
      headers["mcp-session-id"] = randomUUID()
      sessions.add(headers["mcp-session-id"])
    }
    let out = ""
    if (request.url === "/sse") {
      answer(message, (said) => {
        out += `event: message\ndata: ${said}\n\n`
      })
      response.writeHead(200, { ...headers, "content-type": "text/event-stream", "cache-control": "no-cache" })
      if (out === "") response.flushHeaders()
      else response.end(out)
    } else {
      answer(message, (said) => {
        out = said
      })
      headers["content-length"] = Buffer.byteLength(out)
      response.writeHead(200, { ...headers, "content-type": "application/json" }).end(out)
    }
  })
})
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
process.stdin.on("end", () => process.exit(0)).resume()
