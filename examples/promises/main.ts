/**
 * Without Effect: promises of results. A failure is a value, a deadline is a failure, and only an `AbortSignal` of yours makes
 * a promise reject. `await using` closes the client and its sessions; without it, call `close()`.
 *
 *   node --conditions=zain-source examples/promises/main.ts
 */
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, type McpResponse, McpResult } from "@zain/core"

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())

const session = McpResult.getOrThrow(await codex.openSession(CodexTransportFactory.local()))

const print = (result: McpResult<McpResponse>) => {
  if (McpResult.isFailure(result)) return console.log(`${result.failure.reason}: ${result.failure.message}`)
  const { content, isError } = result.success
  return console.log(isError ? `The turn failed: ${content}` : content)
}

print(await codex.execute(session, "Think of a number."))

// At its deadline the turn is cancelled on the server too, and the result is a failure.
print(await codex.execute(session, { content: "Count to a million.", deadline: "2 seconds" }))

// When the signal aborts, the turn is cancelled on the server too, and the promise rejects with the signal's reason.
try {
  print(await codex.execute(session, "Count to a million.", { signal: AbortSignal.timeout(2_000) }))
} catch (reason) {
  console.log(`Aborted: ${reason}`)
}

// The conversation continues after both.
print(await codex.execute(session, "Which number was it?"))

// An invalid request is a failure too.
print(await codex.execute(session, ""))
