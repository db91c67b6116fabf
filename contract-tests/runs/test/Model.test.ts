import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { beforeAll, describe, it } from "vitest"
import * as Model from "../../../packages/core/testing/model/Model.ts"
import * as CodexAgent from "./model/CodexAgent.ts"

// Loads the SDK, which is imported on first use and takes time outside of the stepper.
beforeAll(async () => {
  const { config, connect } = FakePeer.inMemory(fakeCodex)
  const opened = Effect.flatMap(CodexMcpClientAdapter.make({ profile: "native", connect }), (client) =>
    client.openSession(config),
  )
  await Effect.runPromise(Effect.scoped(opened))
})

describe("Codex: any interleaving of open, execute, cancel, close, time and its death (rule-1 to rule-8)", () => {
  it("keeps the laws: one outcome an execute, turns in order, Opened to Closed and never back, nothing left (promises 2, 5, 8)", () =>
    Model.check({ ...CodexAgent.subject, runs: 300 }))
})
