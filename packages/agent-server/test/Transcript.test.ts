import { Effect } from "effect"
import { expect } from "vitest"
import { test } from "../../core/test/Test.ts"
import * as Messages from "../../tool-server/test/Messages.ts"
import * as Transcript from "../../tool-server/test/Transcript.ts"
import * as AgentServer from "../src/AgentServer.ts"
import * as InMemoryAgent from "./InMemoryAgent.ts"

test.live("the agent server answers a fixed conversation as recorded, byte for byte", function* () {
  const server = AgentServer.make(InMemoryAgent.make(), { version: "1.2.3" })
  const calls = [
    Messages.call("bad", "memory", { prompt: 7 }),
    Messages.call("last", "memory", { prompt: "say hello" }),
  ]
  const spoken = yield* Transcript.of(server, calls)
  yield* Effect.promise(() => expect(spoken).toMatchFileSnapshot("fixtures/transcript.txt"))
})
