// A host whose prompt a real agent works on. It prints the thread as soon as it is named, then that the agent speaks.
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import type { McpConnectionConfig } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

const [, , agent = "", place = "{}", content = ""] = process.argv
const { directory, env } = JSON.parse(place) as Pick<Place, "directory" | "env">
const isCodex = agent === "codex"
const config: McpConnectionConfig = OwnClient.local(isCodex ? "codex" : "claude-code", {
  directory,
  env,
})
const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const program = Effect.gen(function* () {
  const client = yield* isCodex ? CodexMcpClientAdapter.make() : ClaudeCodeMcpClientAdapter.make()
  const session = yield* client.openSession(config)
  const reading = Stream.runForEach(client.events(session), (event) =>
    event._tag === "ThreadStarted"
      ? say(`thread ${event.threadId}`)
      : event._tag === "TextDelta"
        ? say("word")
        : Effect.void,
  )
  yield* Effect.forkChild(reading, { startImmediately: true })
  yield* client.execute(session, { content })
})

await Effect.runPromise(Effect.scoped(program))
