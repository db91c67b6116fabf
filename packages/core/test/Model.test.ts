import { describe, it } from "@effect/vitest"
import { McpSessionRuntime } from "@zain/core"
import * as Model from "../testing/model/Model.ts"
import * as ScriptedAgent from "./model/ScriptedAgent.ts"

describe("McpSessionRuntime under any interleaving of open, execute, cancel, close, time and exits of agents (rule-1 to rule-8)", () => {
  it("gives each execute one outcome, runs turns in order, never reopens a session, and releases everything (promises 2, 8, 13)", () =>
    Model.check({ ...ScriptedAgent.subject(McpSessionRuntime.make), runs: 300 }))
})
