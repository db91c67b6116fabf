/**
 * The four errors, one by one: each is provoked, and told with its reason, with whether the prompt may have been sent, and
 * with what a program does about it.
 *
 *   node --conditions=zain-source examples/errors/main.ts
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpConnectionConfig, type McpError, McpPromiseClient, McpResult, type McpSessionId } from "@zain/core"

/** What to do about an error. The compiler knows that none of the four is left out. */
const remedy = (error: McpError): string => {
  switch (error._tag) {
    case "InvalidRequest":
      return "Mend the request. Asking again changes nothing."
    case "SessionNotFound":
      return "A bug: this id was never given out by this client."
    case "SessionClosed":
      return "Open a new session."
    case "ConnectionUnavailable":
      switch (error.reason) {
        case "spawn-failed":
        case "not-an-mcp-server":
        case "unauthorized":
          return "Tell the user: the setup is wrong."
        case "rate-limited":
          return `Ask again in ${error.diagnostics?.retryAfter ?? 1_000} ms.`
        default:
          return error.delivery === "not-sent"
            ? "Ask again in a new session: nothing was sent."
            : "Look at what the agent has done, then decide: asking again may do it twice."
      }
  }
}

const { stdio, streamableHttp } = McpConnectionConfig

await using client = await McpPromiseClient.make(CodexMcpClientAdapter.make())

const show = (result: McpResult<unknown>) => {
  if (McpResult.isSuccess(result)) return console.log("No error.\n")
  const { _tag, delivery, message, reason } = result.failure
  console.log(`${_tag} (${reason}, ${delivery})\n  ${message}\n  ${remedy(result.failure)}\n`)
}

// Servers that cannot be reached, or are none.
const node = (script: string) => ({ command: process.execPath, args: ["--eval", script] })
show(await client.openSession(stdio({ command: "no-such-agent" })))
show(await client.openSession(stdio(node("console.log('Hello.')"))))
show(await client.openSession(stdio(node("process.exit(3)"))))
show(await client.openSession(stdio({ ...node("setInterval(() => {}, 1_000)"), connectTimeout: "500 millis" })))
show(await client.openSession(streamableHttp({ url: "http://127.0.0.1:1/mcp" })))

// Servers that refuse.
const server = createServer((request, response) => {
  const status = Number(request.url?.slice(1))
  response.writeHead(status, { "retry-after": "30" }).end()
}).listen(0, "127.0.0.1")
await once(server, "listening")
for (const status of [401, 429, 503]) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${status}`
  show(await client.openSession(streamableHttp({ url, bearerToken: "not the right one" })))
}
server.close()

// Requests that cannot be understood.
show(await client.openSession(streamableHttp({ url: "agents.example" })))
show(await client.openSession({ ...CodexTransportFactory.local(), providerOptions: { modle: "small" } }))
show(await client.execute(crypto.randomUUID() as string as McpSessionId, "Hello."))

// Sessions, and turns of theirs.
const opened = await client.openSession(CodexTransportFactory.local())
const hasty = await client.openSession(CodexTransportFactory.local({ idleTimeout: "100 millis" }))
if (McpResult.isFailure(opened)) throw opened.failure
if (McpResult.isFailure(hasty)) throw hasty.failure
show(await client.execute(opened.success, ""))
show(await client.execute(opened.success, { content: "Count to a million.", deadline: "1 second" }))
show(await client.execute(hasty.success, { content: "Count to a million.", deadline: "10 seconds" }))
show(await client.closeSession(opened.success))
show(await client.execute(opened.success, "Are you there?"))
