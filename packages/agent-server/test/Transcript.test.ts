import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Transcript from "../../tool-server/testing/Transcript.ts"
import * as AgentServer from "../src/AgentServer.ts"
import * as InMemoryAgent from "../testing/InMemoryAgent.ts"

test.live("the agent server answers a fixed conversation as recorded, byte for byte", function* () {
  const server = AgentServer.make(InMemoryAgent.make(), { version: "1.2.3" })
  const calls = [
    Messages.call("bad", "memory", { prompt: 7 }),
    Messages.call("last", "memory", { prompt: "say hello" }),
  ]
  const spoken = yield* Transcript.of(server, calls)
  yield* Effect.promise(() => expect(spoken).toMatchFileSnapshot("fixtures/transcript.txt"))
})
