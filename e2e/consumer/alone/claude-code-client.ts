// A program of a user's who has installed this client and effect, and nothing else.
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import * as Effect from "effect/Effect"

const [content = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const claude = yield* ClaudeCodeMcpClientAdapter.make()
  const session = yield* claude.openSession(ClaudeCodeTransportFactory.local())
  return yield* claude.execute(session, { content })
})

const answer = await Effect.runPromise(Effect.scoped(program))
process.stdout.write(`${answer.content}\n`)
