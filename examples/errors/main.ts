/**
 * Causes each of the four errors, and prints its reason, its `delivery` and what a program does about it.
 *
 *   node --conditions=zain-source examples/errors/main.ts
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpConnectionConfig, type McpError, McpPromiseClient, McpResult, type McpSessionId } from "@zain/core"

/** The compiler checks that each of the four errors has a case. */
const remedy = (error: McpError): string => {
  switch (error._tag) {
    case "InvalidRequest":
      return "Correct the request before sending it again."
    case "SessionNotFound":
      return "Correct the program: this client did not return that id."
    case "SessionClosed":
      return "Open a new session."
    case "ConnectionUnavailable":
      if (error.reason === "spawn-failed" || error.reason === "unauthorized") return "Correct the setup."
      if (error.reason === "rate-limited") return `Retry in ${error.diagnostics?.retryAfter ?? 1_000} ms.`
      return error.delivery === "not-sent"
        ? "Retry in a new session."
        : "Check what the agent has done before retrying: it may do it twice."
  }
}

const show = (result: McpResult<unknown>) => {
  if (McpResult.isSuccess(result)) return console.log("No error.\n")
  const { _tag, delivery, message, reason } = result.failure
  console.log(`${_tag} (${reason}, ${delivery})\n  ${message}\n  ${remedy(result.failure)}\n`)
}

const { stdio, streamableHttp } = McpConnectionConfig
await using client = await McpPromiseClient.make(CodexMcpClientAdapter.make())

show(await client.openSession(stdio({ command: "no-such-agent" })))
show(await client.openSession(streamableHttp({ url: "http://127.0.0.1:1/mcp" })))

const busy = createServer((_, response) => response.writeHead(429, { "retry-after": "30" }).end())
await once(busy.listen(0, "127.0.0.1"), "listening")
const { port } = busy.address() as AddressInfo
show(await client.openSession(streamableHttp({ url: `http://127.0.0.1:${port}/mcp` })))
busy.close()

const session = McpResult.getOrThrow(await client.openSession(CodexTransportFactory.local()))
show(await client.execute(session, ""))
show(await client.execute(session, { content: "Count to a million.", deadline: "1 second" }))
show(await client.execute(crypto.randomUUID() as string as McpSessionId, "Hello."))
await client.closeSession(session)
show(await client.execute(session, "Hello."))
