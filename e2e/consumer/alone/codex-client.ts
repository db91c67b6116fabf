// A program of a user's who has installed this client and effect, and nothing else.
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import * as Effect from "effect/Effect"

const [content = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const codex = yield* CodexMcpClientAdapter.make()
  const session = yield* codex.openSession(CodexTransportFactory.local())
  return yield* codex.execute(session, { content })
})

const answer = await Effect.runPromise(Effect.scoped(program))
process.stdout.write(`${answer.content}\n`)
