/**
 * Without Effect: promises of results. A failure is a value, a deadline is a failure, and only your own signal makes a
 * promise reject. `await using` closes all that is open, whatever happens; where there is none, call `close()`.
 *
 *   node --conditions=zain-source examples/promises/main.ts
 */
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, McpResult } from "@zain/core"

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())

const opened = await codex.openSession(CodexTransportFactory.local())
if (McpResult.isFailure(opened)) throw opened.failure
const session = opened.success

const print = (result: McpResult<{ readonly content: string }>) =>
  console.log(
    McpResult.match(result, {
      onSuccess: ({ content }) => content,
      onFailure: ({ message, reason }) => `${reason}: ${message}`,
    }),
  )

print(await codex.execute(session, "Think of a number."))

// A deadline: the agent is told to stop, and the result says why there is no answer.
print(await codex.execute(session, { content: "Count to a million.", deadline: "2 seconds" }))

// A signal: the agent is told to stop, and the promise rejects with the signal's own reason.
try {
  print(await codex.execute(session, "Count to a million.", { signal: AbortSignal.timeout(2_000) }))
} catch (reason) {
  console.log(`Given up: ${reason}`)
}

// The conversation goes on after both.
print(await codex.execute(session, "Which number was it?"))

// What is refused is a value too.
print(await codex.execute(session, ""))

await codex.closeSession(session)
